type Facts = Readonly<Record<string, unknown>>;

/**
 * Fills a text: `{name}` becomes the fact of that name, and `{count|1 record|# records}` the form for that number. A fact may be an error or another
 * text with a message.
 */
export function rendered(text: string, facts: Facts): string {
    return text.replace(PLACEHOLDER, (mark: string, ...groups: readonly string[]) => {
        const [name = '', one, many = ''] = groups;
        const fact = facts[name];
        if (fact === undefined) return mark;
        if (one !== undefined) return fact === 1 ? one : many.replace('#', String(fact));
        // Names are a list, and texts follow one another.
        if (Array.isArray(fact)) return fact.map(textOf).join(fact.every(isText) ? ' ' : ', ');
        return textOf(fact);
    });
}

function isText(fact: unknown): fact is Facts {
    return typeof fact === 'object' && fact !== null;
}

function textOf(fact: unknown): string {
    return String(isText(fact) ? fact['message'] : fact);
}

const PLACEHOLDER = /\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g;
