// Entry point of the page that is served or exported.
import './style.css';
import { startPage } from './main';
import { PageSource, ServerSource } from './source';

// For the browser's console: scree.player.seek(10), scree.select(scree.scene.value.find('ball')).
const { app, stage } = startPage(PageSource.find() ?? new ServerSource());
Object.assign(window, { scree: Object.assign(app, { stage }) });
