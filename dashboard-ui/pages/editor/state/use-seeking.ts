import { useCallback, useMemo, useState } from 'react';
import type { EditorIssue } from './issues';
import type { Checks } from './use-checks';

/** Leads from an issue to the field that it belongs to. */
export interface Seeking {
    /** The one that is sought is marked among them, until its field has come into sight. */
    readonly checks: Checks;
    readonly seek: (issue: EditorIssue) => void;
}

/** Marks the issue that the user looks for. Its owner unfolds the enclosing sections and takes the focus. */
export function useSeeking(checks: Checks): Seeking {
    const [sought, seek] = useState<EditorIssue>();
    const reached = useCallback(() => seek(undefined), []);
    const { issues } = checks;
    const marked = useMemo(
        () =>
            sought === undefined
                ? issues
                : issues.map(issue => (isSame(issue, sought) ? { ...issue, reached } : issue)),
        [issues, sought, reached],
    );
    return { checks: { ...checks, issues: marked }, seek };
}

function isSame(one: EditorIssue, other: EditorIssue): boolean {
    return one.code === other.code && one.path === other.path && one.message === other.message;
}
