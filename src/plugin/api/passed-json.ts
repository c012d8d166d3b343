/** So many fields of objects are handed on before the event loop turns. */
const FIELDS_A_TURN = 5_000;
/** An object that was waited for counts as at least so many: what is looked up for it begins with it. */
const FIELDS_OF_AWAITED = 10;
/** Queries of one operation that begin together, and the most that are under way at the same time. */
const BEGUN_TOGETHER = 6;
const UNDER_WAY = 4;

/** What is handed on: how many objects, the fields that are asked of each, and whether they were waited for. */
interface Objects {
    readonly count: number;
    readonly fields: number;
    readonly isAwaited: boolean;
}

/**
 * Hands values on to GraphQL, which goes through all that it has been given without a turn of the event loop: a few objects at a time,
 * however many fields of one answer come to be known at once.
 */
export class PassedJson {
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

    /**
     * A value of objects: itself where it goes on at once, else a promise of it. The objects of a list go on together, so that what is looked up for them is
     * looked up together; those of a list with more fields than a turn may have come as promises, in groups.
     */
    pass(value: unknown, { count, fields, isAwaited }: Objects): unknown {
        if (count === 0) return value;
        if (Array.isArray(value) && value.length * fields > FIELDS_A_TURN) return this.inGroups(value, fields);
        const turn = this.enter(Math.max(count * fields, isAwaited ? count * FIELDS_OF_AWAITED : 0));
        return turn ? turn.then(() => value) : value;
    }

    private inGroups(list: readonly unknown[], fields: number): readonly unknown[] {
        const size = Math.max(1, Math.floor(FIELDS_A_TURN / fields));
        let turn: Promise<void> | undefined;
        return list.map((element, i) => {
            if (i % size === 0) turn = this.enter(Math.min(size, list.length - i) * fields);
            return turn ? turn.then(() => element) : element;
        });
    }

    /** Undefined where there is room for something now, else the turn in which there is. */
    private enter(fields: number): Promise<void> | undefined {
        if (this.waiting.length === 0 && this.sinceTurn < FIELDS_A_TURN) {
            this.count(fields);
            return undefined;
        }
        return new Promise(resolve =>
            this.waiting.push(() => {
                this.count(fields);
                resolve();
            }),
        );
    }

    private count(fields: number): void {
        this.sinceTurn += fields;
        if (this.isTurning) return;
        this.isTurning = true;
        setImmediate(() => this.turned());
    }

    private turned(): void {
        this.isTurning = false;
        this.sinceTurn = 0;
        while (this.waiting.length > 0 && this.sinceTurn < FIELDS_A_TURN) this.waiting.shift()!();
    }
}
