// A value that others can watch.

export type Unsubscribe = () => void;

export class Signal<T> {
  private listeners = new Set<(value: T, before: T) => void>();

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set value(next: T) {
    if (Object.is(next, this.current)) return;
    const before = this.current;
    this.current = next;
    for (const listener of [...this.listeners]) listener(next, before);
  }

  /** Calls `listener` after every change. */
  watch(listener: (value: T, before: T) => void): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Calls `listener` now and after every change. */
  bind(listener: (value: T) => void): Unsubscribe {
    listener(this.current);
    return this.watch(listener);
  }
}

/** Something that happens, without a value that lasts. */
export class Event<T = void> {
  private listeners = new Set<(value: T) => void>();

  watch(listener: (value: T) => void): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  emit(value: T): void {
    for (const listener of [...this.listeners]) listener(value);
  }
}
