/** So many objects are handed on before the event loop turns; of a longer list all. */
const OBJECTS_A_TURN = 100;
/** Queries of one operation that begin together, and the most that are under way at the same time. */
const BEGUN_TOGETHER = 24;
const UNDER_WAY = 4;

/**
 * Hands values on to GraphQL, which goes through all that it has been given without a turn of the event loop: a few objects at a time,
 * however many fields of one answer come to be known at once.
 */
export class HandedOn {
    private readonly waiting: Array<() => void> = [];
    private sinceTurn = 0;
    private isTurning = false;
    private readonly unbegun: Array<() => void> = [];
    private begun = 0;
    private underWay = 0;
    private isBeginning = false;

    /**
     * Begins a query of the operation: the first few at once, further ones one by one with a turn of the event loop between them. GraphQL would begin hundreds
     * of them in the same turn.
     */
    begin<T>(work: () => T | Promise<T>): T | Promise<T> {
        if (this.begun < BEGUN_TOGETHER) return this.run(work);
        return new Promise<T>((resolve, reject) => {
            this.unbegun.push(() => {
                try {
                    resolve(this.run(work));
                } catch (error) {
                    reject(error as Error);
                }
            });
            this.beginLater();
        });
    }

    /** What has not begun never does: the answer has been decided. */
    end(): void {
        this.unbegun.length = 0;
    }

    private run<T>(work: () => T | Promise<T>): T | Promise<T> {
        this.begun++;
        const result = work();
        if (!(result instanceof Promise)) return result;
        this.underWay++;
        return result.finally(() => {
            this.underWay--;
            this.beginLater();
        });
    }

    private beginLater(): void {
        if (this.isBeginning || this.unbegun.length === 0) return;
        this.isBeginning = true;
        setImmediate(() => {
            this.isBeginning = false;
            if (this.underWay < UNDER_WAY) {
                this.unbegun.shift()?.();
                this.beginLater();
            }
        });
    }

    /** The value itself where it goes on at once, as does what is no list. */
    pass<T>(value: T, objects: number): T | Promise<T> {
        if (objects === 0) return value;
        if (this.waiting.length === 0 && this.sinceTurn < OBJECTS_A_TURN) {
            this.count(objects);
            return value;
        }
        return new Promise(resolve =>
            this.waiting.push(() => {
                this.count(objects);
                resolve(value);
            }),
        );
    }

    private count(objects: number): void {
        this.sinceTurn += objects;
        if (this.isTurning) return;
        this.isTurning = true;
        setImmediate(() => this.turned());
    }

    private turned(): void {
        this.isTurning = false;
        this.sinceTurn = 0;
        while (this.waiting.length > 0 && this.sinceTurn < OBJECTS_A_TURN) this.waiting.shift()!();
    }
}
