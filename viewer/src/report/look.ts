// How solvers look: seven colours that colour-blind readers tell apart (after Okabe and Ito), and when these are used
// up, the same ones dashed.
const kColours = 7;
const kDashes = ['', '7 3', '2 3', '9 3 2 3'];

export interface Look {
  colour: string; // CSS
  dash: string; // SVG
}

export class Looks {
  /** Those that are not drawn. */
  readonly off = new Set<string>();
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly solvers: string[]) {}

  of(solver: string): Look {
    const index = Math.max(0, this.solvers.indexOf(solver));
    return { colour: `var(--c${index % kColours})`, dash: kDashes[Math.floor(index / kColours) % kDashes.length] };
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  toggle(solver: string): void {
    if (!this.off.delete(solver)) this.off.add(solver);
    this.tell();
  }

  /** This one alone; all again when it already is. */
  isolate(solver: string): void {
    const others = this.solvers.filter((name) => name !== solver);
    const isAlone = !this.off.has(solver) && others.every((name) => this.off.has(name));
    this.off.clear();
    if (!isAlone) others.forEach((name) => this.off.add(name));
    this.tell();
  }

  showAll(isShown: boolean): void {
    this.off.clear();
    if (!isShown) this.solvers.forEach((name) => this.off.add(name));
    this.tell();
  }

  private tell(): void {
    this.listeners.forEach((listener) => listener());
  }
}
