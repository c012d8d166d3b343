import { show } from '../../core/value/show';
import type { ItemsPath } from './element-sink';

/** A message lists at most this number of existing names. */
const MAX_NAMES = 10;

/** What the value at a place is: the list of records, the only record, a value on the way to them, or something to leave out. */
type PathStep = 'items' | 'one' | 'onTheWay' | 'aside';

const INDEX = /^\d{1,9}$/;

/**
 * Follows a path of names and list indexes through a JSON text as its values open and close. Returns what is wrong as
 * the end of "at itemsPath …".
 */
export class JsonPath {
    /** How many values of the path are open, and the place in the innermost one where that is a list. */
    private entered = 0;
    private index: number | undefined;
    private isNext = false;
    private isFound = false;
    private names: string[] = [];
    private count = 0;

    constructor(
        private readonly segments: readonly string[],
        private readonly allows: Pick<ItemsPath, 'mayBeOne' | 'mayBeNull'> = {},
    ) {}

    /** A key of an object at `depth`, the root's being 1. */
    key(name: string, depth: number): string | undefined {
        if (depth !== this.entered || this.index !== undefined) return undefined;
        if (this.count++ < MAX_NAMES) this.names.push(show(name));
        this.isNext = name === this.segments[depth - 1];
        return this.isNext && this.isFound ? `${show(name)} comes twice` : undefined;
    }

    /** Whether the value that begins with `mark` within `depth` values is the only record. */
    isOne(mark: string, depth: number): boolean {
        return (
            mark === '{' &&
            this.allows.mayBeOne === true &&
            this.entered === this.segments.length &&
            this.entered > 0 &&
            this.isOnPath(depth)
        );
    }

    /** How the value that begins with `mark` inside `depth` values relates to the path, and what is wrong with it. */
    value(mark: string, depth: number): PathStep | { readonly problem: string } {
        const isOnPath = this.isOnPath(depth);
        if (this.index !== undefined && depth === this.entered) this.index++;
        this.isNext = false;
        if (!isOnPath) return 'aside';
        if (this.entered === this.segments.length) return this.items(mark);
        const isList = mark === '[' && INDEX.test(this.segments[this.entered]!);
        if (mark !== '{' && !isList) return { problem: `${this.name()} is ${kindOf(mark)}, not an object` };
        this.entered++;
        this.index = isList ? 0 : undefined;
        this.names = [];
        this.count = 0;
        return 'onTheWay';
    }

    /** An object or list at `depth` has ended. */
    end(depth: number): string | undefined {
        if (depth !== this.entered) return undefined;
        const holder = depth === 1 ? 'the root' : show(this.segments[depth - 2]);
        if (!this.isFound) return `${holder} has no ${show(this.segments[depth - 1])}; ${this.there()}`;
        this.entered--;
        this.index = undefined;
        return undefined;
    }

    private items(mark: string): PathStep | { readonly problem: string } {
        const { mayBeOne, mayBeNull } = this.allows;
        const isOne = mark === '{' && mayBeOne === true;
        const isNull = mark === 'n' && mayBeNull === true;
        if (mark !== '[' && !isOne && !isNull) return { problem: `${this.name()} is ${kindOf(mark)}, not a list` };
        this.isFound = true;
        return isOne ? 'one' : isNull ? 'aside' : 'items';
    }

    private isOnPath(depth: number): boolean {
        if (this.entered === 0) return depth === 0;
        if (this.index === undefined) return this.isNext;
        return (
            !this.isFound && depth === this.entered && String(this.index) === String(Number(this.segments[depth - 1]))
        );
    }

    private name(): string {
        return this.entered === 0 ? 'the root' : show(this.segments[this.entered - 1]);
    }

    private there(): string {
        if (this.index !== undefined) return `it is a list of ${this.index}`;
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
