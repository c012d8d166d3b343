/** So many objects are handed on before the event loop turns; of a longer list all. */
const OBJECTS_A_TURN = 100;

/**
 * Hands values on to GraphQL, which goes through all that it has been given without a turn of the event loop: a few objects at a time,
 * however many fields of one answer come to be known at once.
 */
export class HandedOn {
    private readonly waiting: Array<() => void> = [];
    private sinceTurn = 0;
    private isTurning = false;

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
