import { Trans, useLingui } from '@lingui/react/macro';
import { api, cn, FieldError, NativeSelect, NativeSelectOption, Textarea, useQuery } from '@vendure/dashboard';
import { FileTextIcon, type LucideIcon, SquareDashedIcon, WorkflowIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { DocumentFile } from '../../parts/document-file';
import { FaultNotice } from '../../parts/fault-notice';
import { type Definition, isObject } from '../editor/model/definition';
import { isFault, readText } from '../editor/text/definition-text';
import { useTextFault } from '../editor/text/text-fault';
import { RecordTable } from '../editor/try/record-table';
import { formatOf } from '../pipelines/document-text';
import { otherPipelineDocument, otherPipelinesDocument } from './new-pipeline.graphql';
import { RECIPES, type Recipe } from './recipes';
import { SmallPicture } from './small-picture';

/** What a pipeline begins with. */
export interface Beginning {
    readonly from: string;
    /** Undefined for a manual trigger and nothing else. */
    readonly definition: Definition | undefined;
    /** What a document calls its pipeline. */
    readonly called?: { readonly name: string; readonly code: string };
}

interface BeginningsProps {
    readonly beginning: Beginning | undefined;
    readonly onChoose: (beginning: Beginning | undefined) => void;
}

/** Empty, a recipe, a document, another pipeline. */
export function Beginnings({ beginning, onChoose }: BeginningsProps): ReactNode {
    const { t } = useLingui();
    const [way, setWay] = useState('nothing');
    const choose = (from: string, definition?: Definition): void => {
        setWay(from);
        onChoose(from === 'document' || from === 'other' ? undefined : { from, definition });
    };
    return (
        <fieldset className="space-y-3">
            <legend className="text-sm font-medium">
                <Trans>Start with</Trans>
            </legend>
            <div className="grid gap-3 md:grid-cols-3">
                <Card isChosen={way === 'nothing'} onChoose={() => choose('nothing')}>
                    <CardText
                        icon={SquareDashedIcon}
                        title={t`Blank pipeline`}
                        about={t`Starts with a manual trigger. You add the steps.`}
                    />
                </Card>
                <Card isChosen={way === 'document'} onChoose={() => choose('document')}>
                    <CardText
                        icon={FileTextIcon}
                        title={t`Import JSON or YAML`}
                        about={t`JSON or YAML, as written by “Export”.`}
                    />
                </Card>
                <Card isChosen={way === 'other'} onChoose={() => choose('other')}>
                    <CardText
                        icon={WorkflowIcon}
                        title={t`Copy an existing pipeline`}
                        about={t`Copy the draft or the live revision.`}
                    />
                </Card>
                {RECIPES.map(recipe => (
                    <Card
                        key={recipe.id}
                        isChosen={way === recipe.id}
                        onChoose={() => choose(recipe.id, recipe.definition)}
                    >
                        <RecipeText recipe={recipe} />
                    </Card>
                ))}
            </div>
            {way === 'document' && <FromDocument onChoose={onChoose} />}
            {way === 'other' && <FromOther onChoose={onChoose} />}
            {RECIPES.filter(({ id }) => id === beginning?.from).map(({ id, sample }) => (
                <section key={id} className="space-y-2">
                    <h3 className="text-sm font-medium">
                        <Trans>Sample data. Replace it with your file later.</Trans>
                    </h3>
                    <RecordTable records={sample} />
                </section>
            ))}
        </fieldset>
    );
}

interface CardProps {
    readonly isChosen: boolean;
    readonly onChoose: () => void;
    readonly children: ReactNode;
}

function Card({ isChosen, onChoose, children }: CardProps): ReactNode {
    return (
        <button
            type="button"
            aria-pressed={isChosen}
            className={cn(
                'space-y-2 rounded-lg border-2 p-3 text-left outline-none hover:bg-muted focus-visible:ring-3 focus-visible:ring-ring/50',
                isChosen && 'border-primary',
            )}
            onClick={onChoose}
        >
            {children}
        </button>
    );
}

interface CardTextProps {
    readonly icon: LucideIcon;
    readonly title: string;
    readonly about: string;
}

function CardText({ icon: Icon, title, about }: CardTextProps): ReactNode {
    return (
        <>
            <span className="flex items-center gap-2 font-medium">
                <Icon aria-hidden className="size-4 text-muted-foreground" />
                {title}
            </span>
            <span className="block text-sm text-muted-foreground">{about}</span>
        </>
    );
}

function RecipeText({ recipe: { id, definition } }: { readonly recipe: Recipe }): ReactNode {
    const { t } = useLingui();
    const words = {
        'price-list': {
            title: t`Products from a price list`,
            about: t`Cleans and validates a CSV file and imports products with prices and stock.`,
        },
        'prices-and-stock': {
            title: t`Prices and stock every night`,
            about: t`Updates prices and stock of existing variants, manually or on a schedule.`,
        },
        'two-ways': {
            title: t`Approve expensive products before import`,
            about: t`Routes records by price. Expensive products wait for approval.`,
        },
    }[id];
    return (
        <>
            <SmallPicture definition={definition} label={t`Graph of its steps`} />
            <span className="block font-medium">{words.title}</span>
            <span className="block text-sm text-muted-foreground">{words.about}</span>
        </>
    );
}

function FromDocument({ onChoose }: Pick<BeginningsProps, 'onChoose'>): ReactNode {
    const { t } = useLingui();
    const [text, setText] = useState('');
    const [problem, setProblem] = useState<string>();
    const wordsOf = useTextFault();
    const take = (changed: string): void => {
        setText(changed);
        const read = readText(changed, formatOf(changed));
        const definition = isFault(read) ? undefined : isObject(read['definition']) ? read['definition'] : read;
        const isSound = definition !== undefined && Array.isArray(definition['steps']);
        setProblem(changed.trim() === '' || isSound ? undefined : isFault(read) ? wordsOf(read) : t`It has no steps.`);
        onChoose(isSound && !isFault(read) ? { from: 'document', definition, called: calledIn(read) } : undefined);
    };
    return (
        <DocumentFile onText={take}>
            <Textarea
                aria-label={t`Document`}
                aria-invalid={problem !== undefined}
                translate="no"
                spellCheck={false}
                className="max-h-80 font-mono text-sm"
                rows={10}
                value={text}
                onChange={({ target }) => take(target.value)}
            />
            {problem !== undefined && <FieldError>{problem}</FieldError>}
        </DocumentFile>
    );
}

/** Its own name and code, where it is a document and not a definition alone. */
function calledIn(document: Definition): { readonly name: string; readonly code: string } {
    const textAt = (key: string): string => (typeof document[key] === 'string' ? document[key] : '');
    const code = isObject(document['definition']) ? textAt('code') : '';
    return { code, name: code === '' ? '' : textAt('name') || code };
}

function FromOther({ onChoose }: Pick<BeginningsProps, 'onChoose'>): ReactNode {
    const { t } = useLingui();
    const [id, setId] = useState('');
    const { data } = useQuery({
        queryKey: ['flow', 'new-pipeline-others'],
        queryFn: () => api.query(otherPipelinesDocument, { options: { take: 200, sort: { name: 'ASC' } } }),
    });
    const [error, setError] = useState<unknown>();
    const take = async (chosen: string): Promise<void> => {
        setId(chosen);
        setError(undefined);
        onChoose(undefined);
        if (chosen === '') return;
        try {
            const { flowPipeline } = await api.query(otherPipelineDocument, { id: chosen });
            const definition = flowPipeline?.workingCopy?.definition ?? flowPipeline?.revision?.definition;
            if (isObject(definition)) onChoose({ from: 'other', definition });
        } catch (fault) {
            setError(fault);
        }
    };
    return (
        <div className="space-y-2">
            <NativeSelect
                className="w-full"
                aria-label={t`Pipeline`}
                value={id}
                onChange={({ target }) => void take(target.value)}
            >
                <NativeSelectOption value="">{t`Choose …`}</NativeSelectOption>
                {(data?.flowPipelines.items ?? []).map(({ id: one, name, code }) => (
                    <NativeSelectOption key={one} value={one}>
                        {`${name} (${code})`}
                    </NativeSelectOption>
                ))}
            </NativeSelect>
            {error !== undefined && <FaultNotice error={error} />}
        </div>
    );
}
