import type { ReactNode } from 'react';

/** A text of the server in which code stands between backticks, shown as such. */
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
