import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block of README.md or of a guide. */
export interface GuideBlock {
    /** For example `docs/guide/hooks.md:5`. */
    readonly place: string;
    /** The heading above it. */
    readonly heading: string;
    readonly language: string;
    readonly text: string;
    /** Why it is not run: the HTML comment `<!-- not run: … -->` before it. */
    readonly notRun: string | undefined;
}

const root = join(__dirname, '../..');
const pages = [
    'README.md',
    ...readdirSync(join(root, 'docs/guide'), { recursive: true })
        .map(name => `docs/guide/${String(name).replaceAll('\\', '/')}`)
        .filter(name => name.endsWith('.md'))
        .sort(),
];

/** All code blocks that people may copy. */
export const guideBlocks: readonly GuideBlock[] = pages.flatMap(page => {
    const text = readFileSync(join(root, page), 'utf8');
    return [...text.matchAll(/(?:^<!-- not run: (.*) -->\n+)?^```(\w+)\n([^]*?)^```$/gm)].map(
        ({ 1: notRun, 2: language, 3: code, index }) => ({
            place: `${page}:${text.slice(0, index).split('\n').length}`,
            heading: headingAbove(text.slice(0, index)),
            language: language!,
            text: code!,
            notRun,
        }),
    );
});

function headingAbove(text: string): string {
    const prose = text.replace(/^```[^]*?^```$/gm, '');
    return [...prose.matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? '';
}
