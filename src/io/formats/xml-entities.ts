import { show } from '../../core/value/show';

/** The entities of XML without a document type, which Flow rejects. */
const KNOWN = /&(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);/iy;
const NAMED = /&[\p{L}_][\p{L}\p{N}_.-]*;/uy;
/** The beginning of an entity that a piece of text may have been cut in; names and numbers are short. */
const CUT = /^&#?[\p{L}\p{N}_.-]{0,32}$/u;

/** True if an `&` begins a known entity. */
export function beginsEntity(text: string, at: number): boolean {
    KNOWN.lastIndex = at;
    return KNOWN.test(text);
}

/** What is wrong with an `&` that begins no entity. */
export function entityProblem(text: string, at: number): string {
    NAMED.lastIndex = at;
    const [name] = NAMED.exec(text) ?? [];
    return name === undefined
        ? 'an "&" begins no entity; write it as &amp;'
        : `the entity ${show(name)} is not known; allowed: &amp; &lt; &gt; &quot; &apos; and numbers such as &#160;`;
}

/** True if the text ends before it is clear what an `&` begins. */
export function isCutEntity(text: string, at: number): boolean {
    return text.length - at <= 34 && CUT.test(text.slice(at));
}
