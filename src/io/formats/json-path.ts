import { show } from '../../core/value/show';

/** So many names of what is there a message tells. */
const MAX_NAMES = 10;

/** What the value at a place is: the list of records, an object on the way to it, or something to pass over. */
export type PathStep = 'items' | 'onTheWay' | 'aside';

/** Follows a path of names through the objects of a JSON text as they open and close. Answers what is wrong as the end of "at itemsPath …". */
export class JsonPath {
    /** How many objects of the path are open. */
    private entered = 0;
    private isNext = false;
    private isFound = false;
    private names: string[] = [];
    private count = 0;

    constructor(private readonly segments: readonly string[]) {}

    /** A key of an object at `depth`, the root's being 1. */
    key(name: string, depth: number): string | undefined {
        if (depth !== this.entered) return undefined;
        if (this.count++ < MAX_NAMES) this.names.push(show(name));
        this.isNext = name === this.segments[depth - 1];
        return this.isNext && this.isFound ? `${show(name)} comes twice` : undefined;
    }

    /** What the value that begins with `mark` is to the path, and what is wrong with that. */
    value(mark: string): PathStep | { readonly problem: string } {
        const isRoot = this.entered === 0;
        if (!isRoot && !this.isNext) return 'aside';
        this.isNext = false;
        const isItems = this.entered === this.segments.length;
        if (mark !== (isItems ? '[' : '{')) {
            const where = isRoot ? 'the root' : show(this.segments[this.entered - 1]);
            return { problem: `${where} is ${kindOf(mark)}, not ${isItems ? 'a list' : 'an object'}` };
        }
        if (isItems) {
            this.isFound = true;
            return 'items';
        }
        this.entered++;
        this.names = [];
        this.count = 0;
        return 'onTheWay';
    }

    /** An object at `depth` has ended. */
    end(depth: number): string | undefined {
        if (depth !== this.entered) return undefined;
        if (!this.isFound)
            return `${depth === 1 ? 'the root' : show(this.segments[depth - 2])} has no ${show(this.segments[depth - 1])}; ${this.there()}`;
        this.entered--;
        return undefined;
    }

    private there(): string {
        if (this.count === 0) return 'it is an empty object';
        return `it has ${this.names.join(', ')}${this.count > MAX_NAMES ? ` and ${this.count - MAX_NAMES} more` : ''}`;
    }
}

/** The kind of the value that begins with a character. */
export function kindOf(mark: string): string {
    switch (mark) {
        case '{':
            return 'an object';
        case '[':
            return 'a list';
        case '"':
            return 'a text';
        case 't':
        case 'f':
            return 'true or false';
        case 'n':
            return 'null';
        default:
            return 'a number';
    }
}
