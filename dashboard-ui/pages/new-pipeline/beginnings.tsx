import { Trans, useLingui } from '@lingui/react/macro';
import { api, FieldError, NativeSelect, NativeSelectOption, Textarea, useQuery } from '@vendure/dashboard';
import { FileTextIcon, type LucideIcon, SquareDashedIcon, WorkflowIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { DocumentFile } from '../../parts/document-file';
import { FaultNotice } from '../../parts/fault-notice';
import { type Definition, isObject } from '../editor/model/definition';
import { isFault, readText } from '../editor/text/definition-text';
import { useTextFault } from '../editor/text/text-fault';
import { formatOf } from '../pipelines/document-text';
import { ChoiceCard } from './choice-card';
import { otherPipelineDocument, otherPipelinesDocument } from './new-pipeline.graphql';
import { Templates } from './templates';

/** What a pipeline begins with. */
export interface Beginning {
    readonly from: string;
    /** Undefined for a manual trigger and nothing else. */
    readonly definition: Definition | undefined;
    /** The name and code that a document or a template suggests. */
    readonly called?: { readonly name: string; readonly code: string };
}

interface BeginningsProps {
    readonly beginning: Beginning | undefined;
    readonly onChoose: (beginning: Beginning | undefined) => void;
}

/** Empty, a document, another pipeline, a template. */
export function Beginnings({ beginning, onChoose }: BeginningsProps): ReactNode {
    const { t } = useLingui();
    const [way, setWay] = useState('nothing');
    const choose = (from: string, definition?: Definition): void => {
        setWay(from);
        onChoose(from === 'document' || from === 'other' ? undefined : { from, definition });
    };
    return (
        <fieldset className="min-w-0 space-y-3">
            <legend className="text-sm font-medium">
                <Trans>Start with</Trans>
            </legend>
            <div className="grid gap-3 md:grid-cols-3">
                <ChoiceCard isChosen={way === 'nothing'} onChoose={() => choose('nothing')}>
                    <CardText
                        icon={SquareDashedIcon}
                        title={t`Blank pipeline`}
                        about={t`Starts with a manual trigger. You add the steps.`}
                    />
                </ChoiceCard>
                <ChoiceCard isChosen={way === 'document'} onChoose={() => choose('document')}>
                    <CardText
                        icon={FileTextIcon}
                        title={t`Import JSON or YAML`}
                        about={t`JSON or YAML, as written by “Export”.`}
                    />
                </ChoiceCard>
                <ChoiceCard isChosen={way === 'other'} onChoose={() => choose('other')}>
                    <CardText
                        icon={WorkflowIcon}
                        title={t`Copy an existing pipeline`}
                        about={t`Copy the draft or the live revision.`}
                    />
                </ChoiceCard>
            </div>
            {way === 'document' && <FromDocument onChoose={onChoose} />}
            {way === 'other' && <FromOther onChoose={onChoose} />}
            <h2 className="pt-2 text-base font-medium">
                <Trans>Templates</Trans>
            </h2>
            <Templates
                chosen={way === 'template' ? beginning?.from : undefined}
                onChoose={({ code, title, definition }) => {
                    setWay('template');
                    onChoose({ from: code, definition, called: { name: title, code } });
                }}
            />
        </fieldset>
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
