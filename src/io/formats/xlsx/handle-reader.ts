import type { FileHandle } from 'node:fs/promises';
import { RandomAccessReader } from 'yauzl';

/** Lets yauzl read from an open file. A place outside of the file, which a forged header may name, is an error and not an exception. */
export class HandleReader extends RandomAccessReader {
    constructor(
        private readonly handle: FileHandle,
        private readonly size: number,
    ) {
        super();
    }

    override read(...[buffer, offset, length, position, done]: Parameters<RandomAccessReader['read']>): void {
        if (position < 0 || position + length > this.size)
            return done(new Error('it points beyond the end of the file'));
        this.handle.read(buffer, offset, length, position).then(
            ({ bytesRead }) => done(bytesRead < length ? new Error('it ends too early') : null),
            (error: Error) => done(error),
        );
    }
}
