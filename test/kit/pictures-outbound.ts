import { createHash } from 'node:crypto';
import { noNetwork, type Outbound } from '../../src/core/adapter/outbound';

/** One white pixel; bytes after the end of a PNG are not part of the picture. */
const PIXEL = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==',
    'base64',
);

/** A different picture for each text. */
export function pictureOfText(text: string): Buffer {
    return Buffer.concat([PIXEL, Buffer.from(text)]);
}

/** A network in which every address has a different picture. The pictures never change, and conditional requests are answered accordingly. */
export const picturesOutbound: Outbound = {
    ...noNetwork,
    stream: {
        open: async ({ url, headers = {} }) => {
            const etag = `"${createHash('sha256').update(url).digest('hex')}"`;
            const isKnown = headers['if-none-match'] === etag;
            return {
                status: isKnown ? 304 : 200,
                headers: { etag, 'content-type': 'image/png' },
                body: (async function* () {
                    if (!isKnown) yield pictureOfText(url);
                })(),
                close: () => undefined,
            };
        },
    },
};
