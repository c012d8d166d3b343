import { flowError } from '../../../core/errors/flow-error';
import type { MarkupEvents } from '../markup';
import type { Archive } from './archive';
import { MAX_CELL } from './limits';
import { localName, parsePart } from './part';
import { RichText, unescaped } from './rich-text';
import { StringFile } from './string-file';

/** Where strings are kept. */
export interface StringRoom {
    /** About so many bytes are kept in memory; from there on all lie in a temporary file. */
    readonly memory: number;
    readonly tempDir: string;
}

/** About what a string costs beside its characters. */
const OVERHEAD = 32;

/** The strings that cells name by their number. To be released when done with. */
export class SharedStrings {
    private texts: string[] = [];
    private bytes = 0;
    private file: StringFile | undefined;

    private constructor(private readonly room: StringRoom) {}

    static async read(archive: Archive, part: string | undefined, room: StringRoom): Promise<SharedStrings> {
        const strings = new SharedStrings(room);
        if (part === undefined) return strings;
        try {
            for await (const _ of parsePart(archive, part, new Items(part, text => strings.add(text))))
                await strings.makeRoom();
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
        this.texts.push(text);
        this.bytes += 2 * text.length + OVERHEAD;
    }

    /** A piece of the part is small, so what comes in between is as well. */
    private async makeRoom(): Promise<void> {
        if (!this.file) {
            if (this.bytes <= this.room.memory) return;
            this.file = await StringFile.create(this.room.tempDir);
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
    private content = '';
    private count = 0;

    constructor(
        private readonly part: string,
        private readonly found: (text: string) => void,
    ) {}

    open(name: string): void {
        const element = localName(name);
        if (element === 'si') this.content = '';
        else this.rich.open(element);
    }

    text(text: string): void {
        if (!this.rich.takesText) return;
        this.content += text;
        if (this.content.length > MAX_CELL) {
            throw flowError('SOURCE_MALFORMED', {
                where: this.part,
                problem: `string ${this.count} is longer than ${MAX_CELL} characters`,
            });
        }
    }

    close(name: string): void {
        const element = localName(name);
        if (element !== 'si') return this.rich.close(element);
        this.found(unescaped(this.content));
        this.count++;
    }
}
