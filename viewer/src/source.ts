// Where messages come from: a server, or the page itself when it was exported.
import type { ClientMessage, ServerMessage } from './protocol';

export type Connection =
  | { state: 'connecting' }
  | { state: 'open' }
  | { state: 'lost'; retryInSeconds: number } // it tries again by itself
  | { state: 'failed'; message: string }; // it does not

export interface SourceEvents {
  text(message: ServerMessage): void;
  frame(bytes: ArrayBuffer): void;
  connection(state: Connection): void;
}

export interface Source {
  /** All frames come by themselves and stay; none can be asked for. */
  readonly isWhole: boolean;
  start(events: SourceEvents): void;
  /** Without a connection nothing is sent, now or later; `hello` is the time to tell what the page wants. */
  send(message: ClientMessage): void;
}

const kLongestWait = 8; // s

export class ServerSource implements Source {
  readonly isWhole = false;
  private socket: WebSocket | null = null;
  private events!: SourceEvents;
  private failures = 0;

  start(events: SourceEvents): void {
    this.events = events;
    this.connect();
  }

  send(message: ClientMessage): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private connect(): void {
    this.events.connection({ state: 'connecting' });
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(`${scheme}//${location.host}/socket${location.search}`);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.failures = 0;
      this.events.connection({ state: 'open' });
    };
    socket.onmessage = (event) => {
      if (typeof event.data === 'string') this.events.text(JSON.parse(event.data) as ServerMessage);
      else this.events.frame(event.data as ArrayBuffer);
    };
    socket.onclose = () => {
      this.socket = null;
      const wait = Math.min(kLongestWait, 0.5 * 2 ** this.failures++);
      this.events.connection({ state: 'lost', retryInSeconds: wait });
      setTimeout(() => this.connect(), 1000 * wait);
    };
  }
}

/** The data of an exported page: hello in one element, deflated frames in the next. */
export class PageSource implements Source {
  readonly isWhole = true;

  static find(): PageSource | null {
    const hello = document.getElementById('scree-hello');
    const frames = document.getElementById('scree-frames');
    return hello && frames ? new PageSource(hello.textContent ?? '', frames.textContent ?? '') : null;
  }

  constructor(
    private readonly hello: string,
    private readonly frames: string,
  ) {}

  start(events: SourceEvents): void {
    this.load(events).catch((error: unknown) => {
      events.connection({ state: 'failed', message: `The data in this page cannot be read: ${String(error)}` });
    });
  }

  send(): void {}

  private async load(events: SourceEvents): Promise<void> {
    events.connection({ state: 'connecting' });
    const packed = Uint8Array.from(atob(this.frames.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
    const bytes = await new Response(stream).arrayBuffer();
    events.connection({ state: 'open' });
    events.text(JSON.parse(this.hello) as ServerMessage);
    // Frames, each after its length.
    const view = new DataView(bytes);
    for (let at = 0; at + 8 <= bytes.byteLength; ) {
      const length = view.getUint32(at, true);
      events.frame(bytes.slice(at + 8, at + 8 + length));
      at += 8 + length;
    }
  }
}
