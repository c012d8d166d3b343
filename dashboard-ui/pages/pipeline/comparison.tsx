import { Trans } from '@lingui/react/macro';
import { Button } from '@vendure/dashboard';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Loading } from '../../parts/loading';
import { isObject } from '../editor/model/definition';
import { DifferencesTable } from './differences-table';
import type { RevisionDifference } from './pipeline.graphql';

// What lays a graph out is loaded with it.
const ComparedPicture = lazy(() => import('./compared-picture'));

interface ComparisonProps {
    /** The definitions; without one of them there is no picture. */
    readonly before: unknown;
    readonly after: unknown;
    readonly differences: readonly RevisionDifference[];
}

/** What differs between two definitions: their steps as a picture, and field by field. */
export function Comparison({ before, after, differences }: ComparisonProps): ReactNode {
    const [chosen, setChosen] = useState<string>();
    // What is compared may have changed since.
    const isThere = differences.some(({ stepKey }) => stepKey === chosen);
    const shown = isThere ? differences.filter(({ stepKey }) => stepKey === chosen) : differences;
    return (
        <div className="space-y-3">
            {differences.length > 0 && isObject(before) && isObject(after) && (
                <Suspense fallback={<Loading className="h-32" />}>
                    <ComparedPicture
                        before={before}
                        after={after}
                        differences={differences}
                        chosen={chosen}
                        onChoose={setChosen}
                    />
                </Suspense>
            )}
            {isThere && (
                <p className="flex flex-wrap items-center gap-2 text-sm text-muted-foreground">
                    <span>
                        <Trans>
                            Only differences in <span translate="no">{chosen}</span>.
                        </Trans>
                    </span>
                    <Button size="sm" variant="outline" onClick={() => setChosen(undefined)}>
                        <Trans>Show all</Trans>
                    </Button>
                </p>
            )}
            <DifferencesTable differences={shown} />
        </div>
    );
}
