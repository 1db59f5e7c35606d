// The canvas as a film.
import { Signal } from '../signal';

const kFormats = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm', 'video/mp4'];

export class VideoRecorder {
  readonly isRecording = new Signal(false);
  private recorder: MediaRecorder | null = null;
  private pieces: Blob[] = [];

  constructor(private readonly canvas: HTMLCanvasElement) {}

  /** Throws an Error for the user when the browser cannot. */
  start(): void {
    if (this.recorder) return;
    if (typeof MediaRecorder === 'undefined' || !this.canvas.captureStream) {
      throw new Error('This browser cannot record videos.');
    }
    const mimeType = kFormats.find((format) => MediaRecorder.isTypeSupported(format));
    const recorder = new MediaRecorder(this.canvas.captureStream(30), { mimeType, videoBitsPerSecond: 12e6 });
    this.pieces = [];
    recorder.ondataavailable = (event) => {
      if (event.data.size > 0) this.pieces.push(event.data);
    };
    recorder.start(1000);
    this.recorder = recorder;
    this.isRecording.value = true;
  }

  stop(): Promise<Blob> {
    const { recorder } = this;
    if (!recorder) return Promise.reject(new Error('No video is being recorded.'));
    this.recorder = null;
    return new Promise((done) => {
      recorder.onstop = () => {
        recorder.stream.getTracks().forEach((track) => track.stop());
        this.isRecording.value = false;
        done(new Blob(this.pieces.splice(0), { type: recorder.mimeType.split(';')[0] || 'video/webm' }));
      };
      recorder.stop();
    });
  }
}
