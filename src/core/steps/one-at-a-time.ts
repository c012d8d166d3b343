/** Lets one work at a time, in the order in which they came, whatever becomes of the others. */
export class OneAtATime {
    private last: Promise<unknown> = Promise.resolve();

    through<T>(work: () => Promise<T>): Promise<T> {
        const turn = this.last.then(work);
        this.last = turn.catch(() => undefined);
        return turn;
    }
}
