// The page: a source of messages, the state they make, a stage that draws it and panels around it.
import { App } from './app';
import { Stage } from './scene/stage';
import type { Source } from './source';
import { Panels } from './ui/panels';

export function startPage(source: Source): { app: App; stage: Stage } {
  const app = new App(source);
  app.start(); // messages travel while the stage is set up
  const stage = new Stage(document.getElementById('stage')!, app);
  const panels = new Panels(document.getElementById('panels')!, app, stage);
  let before = performance.now();
  const draw = (now: number): void => {
    const seconds = (now - before) / 1000;
    before = now;
    const begin = performance.now();
    app.player.advance(seconds);
    stage.draw(seconds);
    panels.update(seconds, performance.now() - begin);
    requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);
  return { app, stage };
}
