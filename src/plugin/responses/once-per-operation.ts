import { flowError } from '../../core/errors/flow-error';

/** What one request has made: each thing once, however often it asks, and so many different things at most. With aliases it could ask for any number. */
export class OncePerOperation<T> {
    private readonly known = new Map<unknown, Promise<T>>();
    private count = 0;

    /** `what` names the things in the message. */
    constructor(
        private readonly most: number,
        private readonly what: string,
    ) {}

    /** What was made under this key before, or is made now. Throws INPUT_INVALID for one thing too many. */
    make(key: unknown, make: () => Promise<T>): Promise<T> {
        const known = this.known.get(key);
        if (known) return known;
        const made = this.counted(make);
        this.known.set(key, made);
        return made;
    }

    private async counted(make: () => Promise<T>): Promise<T> {
        if (++this.count > this.most) {
            const problem = `The request asks for more than ${this.most} ${this.what}, which are the most that are allowed`;
            throw flowError('INPUT_INVALID', { problem });
        }
        return make();
    }
}
