import type { Issue } from '../../core/pipeline/issues';

/** An issue as the API shows it: what is not said to be a warning is a fault. */
export interface IssueView extends Omit<Issue, 'severity'> {
    readonly severity: 'ERROR' | 'WARNING';
}

/** No resolver of its own for the one field: there may be thousands in an answer, each of which would be waited for. */
export function issueView(issue: Issue): IssueView {
    return { ...issue, severity: issue.severity ?? 'ERROR' };
}
