// Not more pictures under way than the graphics card can take.
//
// A card that is behind makes script wait inside some call of WebGL, for seconds when the card is a processor. Then
// nothing on the page answers. So a picture is begun only when an earlier one is done.

export class Pacer {
  /** Pictures that the graphics card has finished. */
  finished = 0;
  private fences: WebGLSync[] = [];

  /** `most`: pictures under way at once. */
  constructor(private readonly gl: WebGL2RenderingContext, private readonly most: number) {}

  get isBusy(): boolean {
    const { gl } = this;
    while (this.fences.length > 0 && gl.getSyncParameter(this.fences[0], gl.SYNC_STATUS) === gl.SIGNALED) {
      gl.deleteSync(this.fences.shift()!);
      ++this.finished;
    }
    return this.fences.length >= this.most;
  }

  /** After the calls of a picture. */
  mark(): void {
    const fence = this.gl.fenceSync(this.gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (fence) this.fences.push(fence);
    this.gl.flush();
  }

  /** The context was lost, and the fences with it. */
  forget(): void {
    this.fences = [];
  }
}
