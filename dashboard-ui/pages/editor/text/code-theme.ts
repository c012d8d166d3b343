import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The host's colours, light and dark. */
export const THEME = EditorView.theme({
    '&': { height: '100%', backgroundColor: 'var(--background)', color: 'var(--foreground)' },
    '.cm-scroller': { fontFamily: 'var(--font-mono, monospace)' },
    '.cm-gutters': { backgroundColor: 'var(--card)', color: 'var(--muted-foreground)', borderColor: 'var(--border)' },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in oklab, var(--muted) 60%, transparent)' },
    '.cm-content': { caretColor: 'var(--foreground)' },
    '.cm-cursor': { borderLeftColor: 'var(--foreground)' },
    '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection': {
        backgroundColor: 'color-mix(in oklab, var(--primary) 25%, transparent) !important',
    },
    '.cm-tooltip': {
        backgroundColor: 'var(--popover)',
        color: 'var(--popover-foreground)',
        border: '1px solid var(--border)',
        borderRadius: '6px',
    },
    '.cm-tooltip-autocomplete ul li[aria-selected]': {
        backgroundColor: 'var(--accent)',
        color: 'var(--accent-foreground)',
    },
    '.cm-panels': { backgroundColor: 'var(--card)', color: 'var(--foreground)' },
});

const COMMON = [
    { tag: [tags.string, tags.content], color: 'color-mix(in oklab, var(--success) 60%, var(--foreground))' },
    { tag: [tags.number, tags.bool, tags.null], color: 'color-mix(in oklab, var(--primary) 60%, var(--foreground))' },
    { tag: tags.comment, color: 'var(--muted-foreground)' },
];

/** Colours for the parts of a definition, with its names emphasized. */
export const highlighting = syntaxHighlighting(
    HighlightStyle.define([
        { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--foreground)', fontWeight: '600' },
        ...COMMON,
    ]),
);

/** Colours for the parts of a script, with its keywords emphasized. */
export const scriptHighlighting = syntaxHighlighting(
    HighlightStyle.define([{ tag: tags.keyword, color: 'var(--foreground)', fontWeight: '600' }, ...COMMON]),
);
