import type { ExtractContext } from '../../core/adapter/extractor';
import type { ManagedFile } from '../../core/adapter/files';
import { decoded, type Encoding } from '../../io/formats/decode';
import { firstBytes } from '../../io/formats/first-bytes';
import type { OpenText } from '../../io/formats/source';
import { yieldToEventLoop } from './paging';

const CHUNK = 64 * 1024;

/** The text of a file, opened again for each pass. */
export function openFileText({ content }: ManagedFile, { signal }: ExtractContext, encoding?: Encoding): OpenText {
    return () => decoded(content.open(signal), encoding);
}

/** A text of the step itself in chunks, so that a long one does not block the event loop. */
export function textInChunks(text: string, cx: ExtractContext): OpenText {
    return async function* pieces() {
        for (let from = 0; from < text.length; from += CHUNK) {
            await yieldToEventLoop(cx);
            yield text.slice(from, from + CHUNK);
        }
    };
}

/** The first bytes of a file. */
export function headOf({ content }: ManagedFile, { signal }: ExtractContext): Promise<Uint8Array> {
    return firstBytes(content.open(signal));
}
