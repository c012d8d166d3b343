import type { Issue } from '../../core/pipeline/issues';

/** An issue as the API shows it. Its severity is ERROR unless it is declared as a warning. */
export interface IssueView extends Omit<Issue, 'severity'> {
    readonly severity: 'ERROR' | 'WARNING';
}

/** Avoids a separate resolver for this field: a response may contain thousands of issues, and each resolver would be awaited. */
export function issueView(issue: Issue): IssueView {
    return { ...issue, severity: issue.severity ?? 'ERROR' };
}
