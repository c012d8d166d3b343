/** How many fields of objects may be passed to GraphQL in one turn of the event loop. */
const FIELDS_A_TURN = 5_000;
/** An awaited object counts as at least this number of fields, because GraphQL then starts the look-ups for it. */
const FIELDS_OF_AWAITED = 10;
/** How many queries of one operation start at once, and how many more may be in progress at the same time. */
const BEGUN_TOGETHER = 24;
const UNDER_WAY = 4;

/** What is passed: the number of objects, how many fields of each are requested, and whether the objects were awaited. */
interface Objects {
    readonly count: number;
    readonly fields: number;
    readonly isAwaited: boolean;
}

/**
 * Passes values to GraphQL, which processes everything that it receives within one turn of the event loop. A few objects are passed at a
 * time, however many fields of a response are resolved at once.
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
     * Starts a query of the operation. The first few start at once, further ones one by one with a turn of the event loop between them.
     * GraphQL would start hundreds of them in the same turn.
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

    /** Drops the queries that have not started, because the response has already been decided. */
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
     * Passes a value with objects: returns the value itself if it may continue at once, otherwise a promise of it. The objects of a list
     * continue together, so that their look-ups are combined. A list with more fields than one turn allows is passed in groups, whose
     * objects may be promises.
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

    /** Undefined if there is room now, otherwise a promise of the turn in which there is room. */
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
