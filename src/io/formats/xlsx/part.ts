import { TextDecoder } from 'node:util';
import { flowError } from '../../../core/errors/flow-error';
import { Markup, type MarkupEvents } from '../markup';
import { readerYield } from '../reader-yield';
import type { Archive } from './archive';

/** The text of an XML part in pieces, in UTF-8 or UTF-16, as the standard allows. */
async function* textOf(archive: Archive, part: string): AsyncGenerator<string, void, void> {
    const turns = readerYield();
    let decoder: TextDecoder | undefined;
    const decode = (bytes?: Buffer): string => {
        try {
            return decoder?.decode(bytes, { stream: bytes !== undefined }) ?? '';
        } catch (cause) {
            throw flowError(
                'SOURCE_MALFORMED',
                { where: part, problem: `it is not ${decoder?.encoding} text` },
                { cause },
            );
        }
    };
    for await (const bytes of archive.bytes(part)) {
        decoder ??= new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8', { fatal: true });
        yield decode(bytes);
        if (turns.isDue) await turns.turn();
    }
    yield decode();
}

/** Parses a part; turns to the caller after each piece. */
export async function* parsePart(
    archive: Archive,
    part: string,
    events: MarkupEvents,
): AsyncGenerator<void, void, void> {
    const markup = new Markup(events, part);
    let parsed = 0;
    for await (const text of textOf(archive, part)) {
        markup.write(text);
        archive.budget.take('markup', markup.parsedCharacters - parsed, () => part);
        parsed = markup.parsedCharacters;
        yield;
    }
    markup.end();
}

/** A name without its prefix: the elements of a workbook can be distinguished without their namespaces. */
export function localName(name: string): string {
    const colon = name.indexOf(':');
    return colon < 0 ? name : name.slice(colon + 1);
}
