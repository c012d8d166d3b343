import { flowError } from '../../core/errors/flow-error';

/** The results of one request. Each is computed once, however often the request repeats it with aliases, and the number of different ones is limited. */
export class OncePerOperation<T> {
    private readonly known = new Map<unknown, Promise<T>>();
    private count = 0;

    /** `what` names the results in the message. */
    constructor(
        private readonly most: number,
        private readonly what: string,
    ) {}

    /** The result for this key, which is computed if it is new. Throws INPUT_INVALID for one too many. */
    make(key: unknown, make: () => Promise<T>): Promise<T> {
        const known = this.known.get(key);
        if (known) return known;
        const made = this.counted(make);
        this.known.set(key, made);
        return made;
    }

    private async counted(make: () => Promise<T>): Promise<T> {
        if (++this.count > this.most) {
            const problem = `The request has more than the allowed ${this.most} ${this.what}`;
            throw flowError('INPUT_INVALID', { problem });
        }
        return make();
    }
}
