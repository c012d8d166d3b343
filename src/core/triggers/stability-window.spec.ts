import type { FoundFile } from '../adapter/source-reference';
import { fileIdentity, type ListingTime, SECOND_LISTING_MS, StabilityWindow } from './stability-window';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const NOON = Date.UTC(2026, 4, 4, 12);

/** A folder, the clock on the wall and the steady one, and who looks. */
class Watching {
    readonly files = new Map<string, FoundFile>();
    private steadyMs = 1_000;
    private wallMs = NOON;
    private readonly stabilityWindow = new StabilityWindow();

    constructor(private readonly minFileAge: number) {}

    get wall(): number {
        return this.wallMs;
    }

    put(path: string, size: number, more: Partial<FoundFile> = {}): void {
        this.files.set(path, { path, size, modifiedAt: this.wallMs, ...more });
    }

    pass(ms: number): void {
        this.steadyMs += ms;
        this.wallMs += ms;
    }

    /** The system clock is set. */
    set(byMs: number): void {
        this.wallMs += byMs;
    }

    /** The paths that are whole, and when to look again. */
    look(): { readonly whole: readonly string[]; readonly again: number | undefined } {
        const found = [...this.files.values()].map(file => ({ file, identity: fileIdentity('erp', file) }));
        const now: ListingTime = { wallMs: this.wallMs, steadyMs: this.steadyMs };
        const { settled, againInMs } = this.stabilityWindow.look(found, now, this.minFileAge);
        return { whole: settled.map(({ file }) => file.path), again: againInMs };
    }
}

describe('a file is complete', () => {
    it('when two consecutive listings have shown it unchanged and it is old enough', () => {
        const folder = new Watching(30);
        folder.put('a.csv', 10);
        expect(folder.look()).toEqual({ whole: [], again: SECOND_LISTING_MS });
        folder.pass(SECOND_LISTING_MS);
        expect(folder.look()).toEqual({ whole: ['a.csv'], again: undefined });
    });

    it('never in the first listing, whatever its age', () => {
        const folder = new Watching(0);
        folder.put('a.csv', 10, { modifiedAt: NOON - 24 * HOUR });
        expect(folder.look().whole).toEqual([]);
        folder.pass(SECOND_LISTING_MS);
        expect(folder.look().whole).toEqual(['a.csv']);
    });

    it('not while a writer appends to it, and then once', () => {
        const folder = new Watching(30);
        for (let size = 10; size < 100; size += 10) {
            folder.put('slow.csv', size);
            expect(folder.look().whole).toEqual([]);
            folder.pass(SECOND_LISTING_MS);
        }
        expect(folder.look().whole).toEqual(['slow.csv']);
    });

    it('not when only its time changes, nor when its content does within the same second', () => {
        const folder = new Watching(0);
        folder.put('a.csv', 10, { modifiedAt: 1 });
        folder.look();
        folder.put('a.csv', 10, { modifiedAt: 2 });
        expect(folder.look().whole).toEqual([]);
        folder.put('a.csv', 10, { modifiedAt: 2, etag: 'other' });
        expect(folder.look().whole).toEqual([]);
        expect(folder.look().whole).toEqual(['a.csv']);
    });

    it('not when it was missing in between: a file that is renamed into its place is checked again', () => {
        const folder = new Watching(0);
        folder.put('in.tmp', 10, { modifiedAt: 1 });
        folder.look();
        folder.files.clear();
        folder.put('in.csv', 10, { modifiedAt: 1 });
        expect(folder.look().whole).toEqual([]);
        folder.files.clear();
        expect(folder.look()).toEqual({ whole: [], again: undefined });
        folder.put('in.csv', 10, { modifiedAt: 1 });
        expect(folder.look().whole).toEqual([]);
        expect(folder.look().whole).toEqual(['in.csv']);
    });

    it('when it has been there for long enough, if its server has another time or reports none', () => {
        const folder = new Watching(120);
        folder.put('ahead.csv', 10, { modifiedAt: NOON + 5 * HOUR });
        folder.put('untold.csv', 10, { modifiedAt: undefined });
        expect(folder.look().again).toBeGreaterThanOrEqual(120 * SECOND);
        folder.pass(119 * SECOND);
        expect(folder.look().whole).toEqual([]);
        folder.pass(SECOND);
        expect(folder.look().whole).toEqual(['ahead.csv', 'untold.csv']);
    });

    it('by its own time if it is already old, and is checked again when it becomes old enough', () => {
        const folder = new Watching(3_600);
        folder.put('old.csv', 10, { modifiedAt: NOON - HOUR });
        folder.put('young.csv', 10, { modifiedAt: NOON - HOUR + 600 * SECOND });
        expect(folder.look().again).toBe(SECOND_LISTING_MS);
        folder.pass(SECOND_LISTING_MS);
        expect(folder.look()).toEqual({ whole: ['old.csv'], again: 600 * SECOND - SECOND_LISTING_MS });
    });

    it('however clocks are set: forwards none is taken at its first sight, backwards none waits for longer than its age', () => {
        const forwards = new Watching(60);
        forwards.put('a.csv', 10);
        forwards.set(24 * HOUR);
        expect(forwards.look().whole).toEqual([]);

        const backwards = new Watching(60);
        backwards.put('a.csv', 10);
        backwards.look();
        backwards.set(-24 * HOUR);
        backwards.pass(60 * SECOND);
        expect(backwards.look().whole).toEqual(['a.csv']);
    });
});

describe('the identity of a file', () => {
    const known: FoundFile = { path: 'in/a.csv', size: 10, modifiedAt: 5 };

    it.each<readonly [string, string, FoundFile]>([
        ['connection', 'other', known],
        ['path', 'erp', { ...known, path: 'in/b.csv' }],
        ['size', 'erp', { ...known, size: 11 }],
        ['time', 'erp', { ...known, modifiedAt: 6 }],
        ['ETag', 'erp', { ...known, etag: 'x' }],
        ['having a time', 'erp', { ...known, modifiedAt: undefined }],
    ])('changes with its %s', (_, connection, file) => {
        expect(fileIdentity(connection, file)).not.toBe(fileIdentity('erp', known));
    });

    it('cannot be built from the parts of another one, and does not depend on other properties', () => {
        const path = '../etc/pass\nwd","5';
        expect(fileIdentity('a","b', { path, size: 1 })).not.toBe(fileIdentity('a', { path: `b","${path}`, size: 1 }));
        expect(fileIdentity('erp', { ...known })).toMatch(/^[0-9a-f]{64}$/);
        expect(fileIdentity('erp', { ...known, modifiedAt: 5 })).toBe(fileIdentity('erp', known));
    });
});
