import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { Issue } from '../../core/pipeline/issues';

/** An issue of a definition: what is not said to be a warning is a fault. */
@Resolver('FlowIssue')
export class IssueFieldResolver {
    @ResolveField()
    severity(@Parent() { severity }: Issue): 'ERROR' | 'WARNING' {
        return severity ?? 'ERROR';
    }
}
