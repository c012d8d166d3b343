import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The anchors of the headings of a page below `docs/guide`. */
export function guideAnchors(page: string): readonly string[] {
    const text = readFileSync(join(__dirname, '../../docs/guide', page), 'utf8').replace(/^```[^]*?^```$/gm, '');
    return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => headingAnchor(heading!));
}

/** The anchor by which links name a heading. */
export function headingAnchor(heading: string): string {
    return heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\- ]/gu, '')
        .replaceAll(' ', '-');
}
