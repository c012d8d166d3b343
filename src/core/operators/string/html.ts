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
/** Tags within a line of the text. */
const CELLS: ReadonlySet<string> = new Set(['td', 'th']);
/** Tags whose content is not text. */
const HIDDEN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'head', 'title']);

const NAME = /[A-Za-z][A-Za-z0-9:-]{0,31}/y;
const QUOTE = 34;
const APOSTROPHE = 39;
const CLOSE = 62;
/** With its semicolon: without one, "&copy" may be part of a URL. The longest name in HTML has 31 letters. */
const ENTITY = /&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]{1,30});/g;
const NO_BREAK_SPACE = '\u00a0';
const SOFT_HYPHEN = '\u00ad';

/** The text of a piece of HTML, in one pass whose time is linear in the length of any input. */
export function textOfHtml(html: string): string {
    return tidy(decode(withoutTags(html, { block: '\n', lineBreak: '\n', cell: ' ' })));
}

const BLOCK = '\u0001';
const BREAK = '\u0002';
const CELL = '\u0003';

/**
 * Like `textOfHtml`, for a layout whose input may also be plain text: text outside of tags keeps its line ends, empty
 * lines and spaces. White space next to a tag that begins a line becomes one line end, or an empty line if it has two
 * or more; next to the tag of a table cell it becomes one space.
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

/** The replacements for tags that separate texts. */
interface Marks {
    readonly block: string;
    readonly lineBreak: string;
    readonly cell: string;
}

/** The text between the tags, with a marker for each tag that separates texts. */
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
    /** The position after its ">". */
    readonly end: number;
}

/** The tag, comment or declaration that begins here; undefined if the "<" is an ordinary character. */
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

/** The position after the ">" that ends a tag, ignoring those in quotes. */
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

/** The position after the end tag of an element that is not text; the end of the input if there is none. */
function endOfHidden(html: string, from: number, name: string): number {
    for (let at = html.indexOf('</', from); at >= 0; at = html.indexOf('</', at + 2)) {
        if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return endOfTag(html, at);
    }
    return html.length;
}

function decode(text: string): string {
    return text.replace(ENTITY, characterOf);
}

/**
 * The character of an entity, or the entity itself if it is unknown; empty for characters that only allow a line break.
 */
function characterOf(entity: string): string {
    const text = decodeHTMLStrict(entity);
    if (text === NO_BREAK_SPACE) return ' ';
    return text === SOFT_HYPHEN ? '' : text;
}

/** White space other than a single space, or any other text. */
const RUN = / \s+|[^\S ]\s*/g;

/** White space as a browser shows it: runs become one space, a block begins a line, empty lines are removed. */
function tidy(text: string): string {
    return text.replace(RUN, run => (run.includes('\n') ? '\n' : ' ')).trim();
}
