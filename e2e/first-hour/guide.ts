/** A fenced block of a guide. */
export interface Block {
    readonly language: string;
    readonly text: string;
    /** The HTML comment in the line before it: why it is not executed, or how. */
    readonly mark: string | undefined;
}

/** Returns the blocks below the second-level headings whose text `isWanted`, in their order. */
export function blocksOf(markdown: string, isWanted: (heading: string) => boolean): readonly Block[] {
    const sections = markdown.split(/^## /m).slice(1);
    return sections
        .filter(section => isWanted(section.slice(0, section.indexOf('\n'))))
        .flatMap(section =>
            [...section.matchAll(/(?:^<!-- (.*) -->\n+)?^```(\w+)\n([^]*?)^```$/gm)].map(
                ([, mark, language, text]) => ({
                    language: language!,
                    text: text!,
                    mark,
                }),
            ),
        );
}
