import { createHash } from 'node:crypto';
import { noNetwork, type Outbound } from '../../src/core/adapter/outbound';

/** One white pixel; what stands behind the end of a PNG is no part of the picture. */
const PIXEL = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==',
    'base64',
);

/** A picture of its own for each text. */
export function pictureOfText(text: string): Buffer {
    return Buffer.concat([PIXEL, Buffer.from(text)]);
}

/** A network in which every address is that of a picture of its own, which never changes and says so when it is asked. */
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
