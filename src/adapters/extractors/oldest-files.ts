import type { RemoteFile } from '../../io/remote/remote-files';
import { oldFilesFirst } from './remote-position';

/** The number of additional files that are held before the newest of them are dropped. */
const SLACK = 1_000;

/** The oldest of any number of files, in bounded memory, and their total number. */
export class OldestFiles {
    /** Includes the dropped ones. */
    count = 0;
    private held: RemoteFile[] = [];

    constructor(private readonly most: number) {}

    add(file: RemoteFile): void {
        this.count++;
        this.held.push(file);
        if (this.held.length >= 2 * this.most + SLACK) this.drop();
    }

    /** The oldest first. */
    get files(): readonly RemoteFile[] {
        this.drop();
        return this.held;
    }

    private drop(): void {
        this.held.sort(oldFilesFirst).splice(this.most);
    }
}
