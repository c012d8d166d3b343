import type { RecordPath } from '../formats/detected-paths';
import { JsonSyntax, skipBlanks, tokenAt } from '../formats/json-syntax';
import { pathOf } from '../../core/data/path';

/** An object or a list that is open. */
interface Level {
    readonly isList: boolean;
    /** Undefined within a list. */
    readonly path: string | undefined;
    key: string;
    objects: number;
}

/** Lists that are looked at; a document may have any number of them. */
const MAX_LISTS = 1_000;

/** The paths of the lists of objects in a JSON text, the longest list first. Lists within lists have no path. Ends at invalid JSON. */
export async function jsonRecordPaths(text: AsyncIterable<string>): Promise<readonly RecordPath[]> {
    const scan = new JsonListScan();
    for await (const piece of text) {
        if (!scan.push(piece)) break;
    }
    return [...scan.found].sort((a, b) => b.count - a.count);
}

class JsonListScan {
    readonly found: RecordPath[] = [];
    private readonly syntax = new JsonSyntax();
    private readonly levels: Level[] = [];
    private text = '';

    /** Reads the tokens that are complete; false after invalid JSON. */
    push(piece: string): boolean {
        this.text += piece;
        let at = skipBlanks(this.text, 0);
        while (at < this.text.length) {
            const token = tokenAt(this.text, at, false);
            if (!token) break;
            const isKey = this.syntax.expectsKey && token.kind === 'string';
            if (this.syntax.take(token)) return false;
            if (isKey) this.levels.at(-1)!.key = JSON.parse(token.text) as string;
            else if (token.kind === '{' || token.kind === '[') this.open(token.kind === '[');
            else if (token.kind === '}' || token.kind === ']') this.close();
            at = skipBlanks(this.text, token.end);
        }
        this.text = this.text.slice(at);
        return true;
    }

    private open(isList: boolean): void {
        const outer = this.levels.at(-1);
        if (outer?.isList && !isList) outer.objects++;
        const prefix = outer?.path;
        const path = !outer ? '' : outer.isList || prefix === undefined ? undefined : join(prefix, outer.key);
        this.levels.push({ isList, path, key: '', objects: 0 });
    }

    private close(): void {
        const { isList, path, objects } = this.levels.pop()!;
        if (isList && path !== undefined && path !== '' && objects > 0 && this.found.length < MAX_LISTS)
            this.found.push({ path, count: objects });
    }
}

function join(prefix: string, key: string): string {
    return prefix === '' ? pathOf(key) : `${prefix}.${pathOf(key)}`;
}
