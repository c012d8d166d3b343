import type { ReactNode } from 'react';

/** A server text in which code between backticks is rendered as code. */
export function WithCode({ text }: { readonly text: string }): ReactNode {
    return text.split('`').map((part, i) =>
        i % 2 === 0 ? (
            part
        ) : (
            <code key={i} translate="no" className="rounded-sm bg-muted px-1">
                {part}
            </code>
        ),
    );
}
