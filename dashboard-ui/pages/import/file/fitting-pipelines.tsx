import { Trans, useLingui } from '@lingui/react/macro';
import { api, Button, Card, CardContent, Link, useDisplayLocale, useQuery } from '@vendure/dashboard';
import { RepeatIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { type FileDifference, type FittingPipeline, importFitsDocument } from '../import.graphql';
import type { ImportPlan } from '../import-plan';
import { useFactWords, useTypeWords } from '../import-words';
import { useWizard } from '../wizard-context';

/** Differences that are listed; a file with more is another file. */
const SHOWN = 8;

/** An earlier import whose columns fit the file: its mapping can be used again. Renders nothing if there is none. */
export function FittingPipelines({ profileId }: { readonly profileId: string }): ReactNode {
    const { state } = useWizard();
    const { data } = useQuery({
        queryKey: ['flow', 'import-fits', profileId],
        queryFn: () => api.query(importFitsDocument, { profileId }),
        // The wizard works without it.
        retry: false,
    });
    const best = data?.flowImportFits[0];
    if (!best || state.repeats) return null;
    return (
        <Card>
            <CardContent className="space-y-3">
                <FittingPipelineLine fit={best} />
                {!best.isExact && <Differences differences={best.differences} />}
            </CardContent>
        </Card>
    );
}

function FittingPipelineLine({ fit }: { readonly fit: FittingPipeline }): ReactNode {
    const { open, reading } = useWizard();
    const { pipeline, isExact, isEdited } = fit;
    const use = async (): Promise<void> => {
        if (await reading.repeat(fit.plan as ImportPlan, pipeline)) open(isExact ? 'CHECK' : 'MAPPING');
    };
    const name = (
        <Link to={`/flow/pipelines/${pipeline.id}`} className="font-medium underline underline-offset-4">
            {pipeline.name}
        </Link>
    );
    return (
        <div className="flex flex-wrap items-center gap-3">
            <RepeatIcon aria-hidden className="size-5 shrink-0 text-muted-foreground" />
            <p className="min-w-0 grow">
                {isEdited ? (
                    <Trans>This file looks like {name}, which was changed in the editor.</Trans>
                ) : (
                    <Trans>This file looks like {name}.</Trans>
                )}
            </p>
            {isEdited ? (
                <Button
                    variant="outline"
                    className="max-md:h-11"
                    render={<Link to={`/flow/pipelines/${pipeline.id}/edit`} />}
                >
                    <Trans>Open editor</Trans>
                </Button>
            ) : (
                <Button
                    variant="outline"
                    className="max-md:h-11"
                    disabled={reading.pending !== undefined}
                    onClick={() => void use()}
                >
                    {isExact ? <Trans>Check with this mapping</Trans> : <Trans>Use its mapping</Trans>}
                </Button>
            )}
        </div>
    );
}

function Differences({ differences }: { readonly differences: readonly FileDifference[] }): ReactNode {
    const textOf = useDifferenceText();
    return (
        <ul className="list-disc space-y-1 pl-8 text-sm text-muted-foreground">
            {differences.slice(0, SHOWN).map((difference, at) => (
                <li key={at}>{textOf(difference)}</li>
            ))}
        </ul>
    );
}

/** How the file differs from the one that the pipeline was made for. */
function useDifferenceText(): (difference: FileDifference) => string {
    const { t } = useLingui();
    const { bcp47Tag } = useDisplayLocale();
    const types: Readonly<Record<string, string>> = useTypeWords();
    const factOf = useFactWords();
    return ({ code, column, field, suggestion, args }) => {
        const values = (args ?? {}) as Readonly<Record<string, unknown>>;
        const text = (key: string): string => {
            const value = values[key];
            if (typeof value === 'number') return value.toLocaleString(bcp47Tag);
            const written = String(value ?? '');
            return types[written] ?? written;
        };
        const [name, before, after] = [column ?? field ?? '', text('before'), text('after')];
        const fact = factOf(text('fact'));
        switch (code) {
            case 'COLUMN_MISSING':
                return suggestion === null
                    ? t`${name} is missing.`
                    : t`${name} is missing. ${suggestion} is used instead.`;
            case 'COLUMN_ADDED':
                return t`${name} is new and is not used.`;
            case 'TYPE_CHANGED':
                return t`${name}: the type of the values is ${after}, it was ${before}.`;
            case 'ROWS_CHANGED':
                return t`${after} rows instead of ${before}.`;
            case 'FACT_CHANGED':
                return t`The file is read differently: ${fact} is ${after}, it was ${before}.`;
        }
    };
}
