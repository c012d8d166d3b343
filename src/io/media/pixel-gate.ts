/** Lets work on images through, first come first served: a few at a time, and no more pixels than memory has room for. */
export class PixelGate {
    private readonly waiting: Array<{ readonly pixels: number; readonly go: () => void }> = [];
    private working = 0;
    private held = 0;

    constructor(
        private readonly maxAtOnce: number,
        private readonly maxPixels: number,
    ) {}

    async pass<T>(pixels: number, work: () => Promise<T>): Promise<T> {
        await new Promise<void>(go => {
            this.waiting.push({ pixels, go });
            this.admit();
        });
        try {
            return await work();
        } finally {
            this.working--;
            this.held -= pixels;
            this.admit();
        }
    }

    /** Work that is alone may run whatever its size. */
    private admit(): void {
        for (let next = this.waiting[0]; next; next = this.waiting[0]) {
            const isFree =
                this.working === 0 || (this.working < this.maxAtOnce && this.held + next.pixels <= this.maxPixels);
            if (!isFree) return;
            this.waiting.shift();
            this.working++;
            this.held += next.pixels;
            next.go();
        }
    }
}
