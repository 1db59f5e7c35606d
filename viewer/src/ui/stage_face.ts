// What the panels need of the picture. They know no more of it than this.
import type { Signal } from '../signal';

export type ViewAxis = 'x' | '-x' | 'y' | '-y' | 'z' | '-z' | 'oblique';

/** What the colours mean, when they mean something. */
export interface ColorLegend {
  label: string;
  unit: string;
  lower: number;
  upper: number;
  stops: string[]; // CSS colours, evenly from lower to upper
  isLogarithmic: boolean;
}

export interface StageFace {
  readonly canvas: HTMLCanvasElement;
  /** False until there is something to see. */
  readonly hasPicture: Signal<boolean>;
  /** `find` tells where the panels leave room, px in the canvas. */
  fitInto(find: () => { x: number; y: number; width: number; height: number }): void;
  fit(): void;
  lookAlong(axis: ViewAxis): void;
  picture(): Promise<Blob>;
  startVideo(): void;
  stopVideo(): Promise<Blob>;
  readonly isRecordingVideo: Signal<boolean>;
  throwBall(): void;
  readonly colorLegend: Signal<ColorLegend | null>;
  /** Of the last drawn frame. */
  readonly drawMs: Signal<number>;
  /** How large things are, in words. */
  readonly scaleText: Signal<string>;
}
