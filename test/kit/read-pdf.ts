import { inflateSync } from 'node:zlib';

/** For tests: the text that a PDF shows, if it uses the fonts that every reader has, and its metadata. */
export function readPdf(bytes: Buffer): {
    readonly text: string;
    readonly pages: number;
    readonly box: string | undefined;
    readonly streams: readonly string[];
    readonly raw: string;
} {
    const raw = bytes.toString('latin1');
    const streams = [...raw.matchAll(/\/FlateDecode\n>>\nstream\n([^]*?)\nendstream/g)].map(([, body]) =>
        inflateSync(Buffer.from(body!, 'latin1')).toString('latin1'),
    );
    const lines = streams.flatMap(stream =>
        [...stream.matchAll(/\[(.*)\] TJ/g)].map(([, parts]) =>
            [...parts!.matchAll(/<([0-9a-f]+)>/g)]
                .map(([, hex]) => Buffer.from(hex!, 'hex').toString('latin1'))
                .join(''),
        ),
    );
    return {
        text: lines.join('\n'),
        pages: raw.match(/\/Type \/Page\n/g)?.length ?? 0,
        box: /\/MediaBox \[(.*?)\]/.exec(raw)?.[1],
        streams,
        raw,
    };
}
