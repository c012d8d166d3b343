import { flowError } from '../../../core/errors/flow-error';
import type { MarkupEvents } from '../markup';
import type { Archive } from './archive';
import { MAX_CELL } from './limits';
import { localName, parsePart } from './part';
import { RichText, unescaped } from './rich-text';
import { ownText } from './own-text';
import { StringFile } from './string-file';
import { StringFastPath } from './string-fast-path';

/** Where strings are kept. */
interface StringStore {
    /** About this number of bytes is kept in memory; a larger list is kept in a temporary file. */
    readonly memory: number;
    readonly tempDir: string;
}

/** About what a string costs in addition to its characters. */
const OVERHEAD = 32;

/** The strings that cells name by their number. To be released when done with. */
export class SharedStrings {
    private texts: string[] = [];
    private bytes = 0;
    private file: StringFile | undefined;

    private constructor(private readonly store: StringStore) {}

    static async read(archive: Archive, part: string | undefined, store: StringStore): Promise<SharedStrings> {
        const strings = new SharedStrings(store);
        if (part === undefined) return strings;
        const found = (text: string): void => {
            archive.budget.take('strings', 1, () => part);
            strings.add(text);
        };
        try {
            for await (const _ of parsePart(archive, part, new Items(part, found))) await strings.makeRoom();
            await strings.file?.flush(true);
            return strings;
        } catch (error) {
            await strings.release();
            throw error;
        }
    }

    get length(): number {
        return this.file?.length ?? this.texts.length;
    }

    /** The string of that number, undefined where there is none. */
    get(index: number): string | undefined {
        if (!this.file) return this.texts[index];
        return index < this.file.length ? this.file.get(index) : undefined;
    }

    async release(): Promise<void> {
        this.texts = [];
        await this.file?.close();
    }

    private add(text: string): void {
        if (this.file) return this.file.add(text);
        this.texts.push(ownText(text));
        this.bytes += 2 * text.length + OVERHEAD;
    }

    /** A piece of the part is small, so the strings that are added in between are few. */
    private async makeRoom(): Promise<void> {
        if (!this.file) {
            if (this.bytes <= this.store.memory) return;
            this.file = await StringFile.create(this.store.tempDir);
            for (const text of this.texts) {
                this.file.add(text);
                await this.file.flush();
            }
            this.texts = [];
        }
        await this.file.flush();
    }
}

class Items implements MarkupEvents {
    private readonly rich = new RichText();
    readonly shortcut = new StringFastPath(text => this.takePlain(text));
    private content = '';
    private isInItem = false;
    private count = 0;

    constructor(
        private readonly part: string,
        private readonly found: (text: string) => void,
    ) {}

    open(name: string): void {
        const element = localName(name);
        if (element === 'si') {
            this.content = '';
            this.isInItem = true;
        } else {
            this.rich.open(element);
        }
    }

    text(text: string): void {
        if (!this.rich.takesText) return;
        this.content += text;
        this.checkLength(this.content);
    }

    close(name: string): void {
        const element = localName(name);
        if (element !== 'si') return this.rich.close(element);
        this.isInItem = false;
        this.end(this.content);
    }

    private takePlain(text: string): boolean {
        if (this.isInItem) return false;
        this.checkLength(text);
        this.end(text);
        return true;
    }

    private end(text: string): void {
        this.found(unescaped(text));
        this.count++;
    }

    private checkLength(text: string): void {
        if (text.length <= MAX_CELL) return;
        throw flowError('SOURCE_MALFORMED', {
            where: this.part,
            problem: `string ${this.count} is longer than ${MAX_CELL} characters`,
        });
    }
}
