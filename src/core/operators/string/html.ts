import { decodeHTMLStrict } from 'entities/decode';

/** Tags that begin a new line of the text. */
const BLOCKS: ReadonlySet<string> = new Set([
    'address',
    'article',
    'aside',
    'blockquote',
    'br',
    'caption',
    'center',
    'dd',
    'details',
    'dialog',
    'div',
    'dl',
    'dt',
    'fieldset',
    'figcaption',
    'figure',
    'footer',
    'form',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'header',
    'hgroup',
    'hr',
    'legend',
    'li',
    'main',
    'menu',
    'nav',
    'ol',
    'optgroup',
    'option',
    'p',
    'pre',
    'section',
    'summary',
    'table',
    'tbody',
    'tfoot',
    'thead',
    'tr',
    'ul',
]);
/** Tags that stand beside others in a line of the text. */
const CELLS: ReadonlySet<string> = new Set(['td', 'th']);
/** What they hold is no text. */
const HIDDEN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'head', 'title']);

const NAME = /[A-Za-z][A-Za-z0-9:-]{0,31}/y;
const QUOTE = 34;
const APOSTROPHE = 39;
const CLOSE = 62;
/** With its semicolon: without one, "&copy" may as well be a part of an address. The longest name of HTML has 31 letters. */
const ENTITY = /&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]{1,30});/g;
const NO_BREAK_SPACE = '\u00a0';
const SOFT_HYPHEN = '\u00ad';

/** The text of a piece of HTML, in one pass whose length grows with that of the input, whatever it holds. */
export function textOfHtml(html: string): string {
    return tidy(decode(withoutTags(html, { block: '\n', lineBreak: '\n', cell: ' ' })));
}

const BLOCK = '\u0001';
const BREAK = '\u0002';
const CELL = '\u0003';

/**
 * As `textOfHtml`, for text to be laid out, which may be plain text as well: what is no tag keeps its line ends, empty lines and spaces.
 * White space beside a tag that begins a line is that line's end, or an empty line where it has two or more; beside one that is the cell
 * of a table, it is one space.
 */
export function linesOfHtml(text: string): string {
    const marked = withoutTags(text.replace(/\r\n?/g, '\n').replace(/[\u0001-\u0003]/g, ''), {
        block: BLOCK,
        lineBreak: BREAK,
        cell: CELL,
    });
    return decode(
        marked
            .replace(/[ \t\n\u0001-\u0003]+/g, space => {
                const [blocks, breaks, ends] = [BLOCK, BREAK, '\n'].map(mark => space.split(mark).length - 1) as [
                    number,
                    number,
                    number,
                ];
                if (blocks === 0 && breaks === 0) return space.includes(CELL) ? ' ' : space;
                return '\n'.repeat(Math.max(breaks, blocks > 0 ? Math.min(Math.max(ends, 1), 2) : ends));
            })
            .replace(/^\n+/, '')
            .trimEnd(),
    );
}

/** What stands in the place of tags that keep texts apart. */
interface Marks {
    readonly block: string;
    readonly lineBreak: string;
    readonly cell: string;
}

/** The text between the tags, with a mark for each that keeps it apart. */
function withoutTags(html: string, { block, lineBreak, cell }: Marks): string {
    const pieces: string[] = [];
    let from = 0;
    for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', from)) {
        const tag = tagAt(html, at);
        if (!tag) {
            pieces.push(html.slice(from, at + 1));
            from = at + 1;
            continue;
        }
        pieces.push(html.slice(from, at));
        if (CELLS.has(tag.name)) pieces.push(cell);
        if (BLOCKS.has(tag.name)) pieces.push(tag.name === 'br' ? lineBreak : block);
        from = tag.end;
        if (HIDDEN.has(tag.name) && !tag.isEnd) from = endOfHidden(html, from, tag.name);
    }
    pieces.push(html.slice(from));
    return pieces.join('');
}

interface Tag {
    readonly name: string;
    readonly isEnd: boolean;
    /** Behind its ">". */
    readonly end: number;
}

/** The tag, comment or declaration that begins here; undefined when the "<" is a character like any other. */
function tagAt(html: string, at: number): Tag | undefined {
    if (html.startsWith('<!--', at)) {
        const close = html.indexOf('-->', at + 4);
        return { name: '', isEnd: false, end: close < 0 ? html.length : close + 3 };
    }
    const isEnd = html[at + 1] === '/';
    const first = html.charCodeAt(at + (isEnd ? 2 : 1)) | 32;
    const isMarkup = (first >= 97 && first <= 122) || html[at + 1] === '!' || html[at + 1] === '?';
    if (!isMarkup) return undefined;
    NAME.lastIndex = at + (isEnd ? 2 : 1);
    const name = NAME.exec(html)?.[0].toLowerCase() ?? '';
    return { name, isEnd, end: endOfTag(html, at) };
}

/** Behind the ">" that ends a tag; one within quotes does not. */
function endOfTag(html: string, at: number): number {
    let quote = 0;
    for (let i = at + 1; i < html.length; i++) {
        const letter = html.charCodeAt(i);
        if (quote !== 0) {
            if (letter === quote) quote = 0;
        } else if (letter === QUOTE || letter === APOSTROPHE) {
            quote = letter;
        } else if (letter === CLOSE) {
            return i + 1;
        }
    }
    return html.length;
}

/** Behind the end tag of what is not text; the end of everything when it has none. */
function endOfHidden(html: string, from: number, name: string): number {
    for (let at = html.indexOf('</', from); at >= 0; at = html.indexOf('</', at + 2)) {
        if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return endOfTag(html, at);
    }
    return html.length;
}

function decode(text: string): string {
    return text.replace(ENTITY, characterOf);
}

/** What an entity stands for, the entity itself where it is none; what only tells a browser where a line may end is nothing to a reader. */
function characterOf(entity: string): string {
    const text = decodeHTMLStrict(entity);
    if (text === NO_BREAK_SPACE) return ' ';
    return text === SOFT_HYPHEN ? '' : text;
}

/** A run of white space that is more than a single space, or something else. */
const RUN = / \s+|[^\S ]\s*/g;

/** White space as a browser shows it: runs are one space, a block begins a line, empty lines go. */
function tidy(text: string): string {
    return text.replace(RUN, run => (run.includes('\n') ? '\n' : ' ')).trim();
}
