import { Trans, useLingui } from '@lingui/react/macro';
import { api, Badge, Button, Input, Link, useQuery } from '@vendure/dashboard';
import { ClockIcon } from 'lucide-react';
import { Fragment, type ReactNode, useId, useMemo, useState } from 'react';
import type { ResultOf } from '../../gql/graphql';
import { useServerText } from '../../i18n/use-server-texts';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { useTriggerText } from '../../parts/trigger-words';
import { type Definition, isObject, stepsOf } from '../editor/model/definition';
import { RecordTable } from '../editor/try/record-table';
import { ChoiceCard } from './choice-card';
import { templatesDocument } from './new-pipeline.graphql';
import { SmallPicture } from './small-picture';

type Template = ResultOf<typeof templatesDocument>['flowPipelineTemplates'][number];
type Group = Template['group'];

/** A template that was chosen, in the language of the page. */
export interface ChosenTemplate {
    readonly code: string;
    readonly title: string;
    readonly definition: Definition;
}

interface TemplatesProps {
    /** The code of the chosen template. */
    readonly chosen: string | undefined;
    readonly onChoose: (template: ChosenTemplate) => void;
}

/** The templates by group, with a search; the details of the chosen one are next to it. */
export function Templates({ chosen, onChoose }: TemplatesProps): ReactNode {
    const { t } = useLingui();
    const textOf = useServerText();
    const groupNames = useGroupNames();
    const [words, setWords] = useState('');
    const [group, setGroup] = useState<Group>();
    const { data, error } = useQuery({
        queryKey: ['flow', 'pipeline-templates'],
        queryFn: () => api.query(templatesDocument),
        staleTime: Infinity,
    });
    if (error) return <FaultNotice error={error} />;
    if (!data) return <Loading />;
    const all = data.flowPipelineTemplates.map(template => ({
        ...template,
        title: textOf(template.title),
        description: textOf(template.description),
        notes: template.notes.map(textOf),
    }));
    const groups = (Object.keys(groupNames) as Group[]).filter(one => all.some(template => template.group === one));
    const isFound = ({ title, description }: Template): boolean =>
        words
            .toLowerCase()
            .split(/\s+/)
            .every(word => `${title} ${description}`.toLowerCase().includes(word));
    const found = all.filter(template => (group === undefined || template.group === group) && isFound(template));
    return (
        <div className="space-y-4">
            <div className="flex flex-wrap items-center gap-2">
                <Input
                    type="search"
                    className="max-w-72"
                    aria-label={t`Search templates`}
                    placeholder={t`Search templates`}
                    value={words}
                    onChange={({ target }) => setWords(target.value)}
                    onKeyDown={event => {
                        // The search is part of the form that creates the pipeline.
                        if (event.key === 'Enter') event.preventDefault();
                    }}
                />
                <GroupButton isChosen={group === undefined} onChoose={() => setGroup(undefined)}>
                    <Trans context="template groups">All</Trans>
                </GroupButton>
                {groups.map(one => (
                    <GroupButton key={one} isChosen={group === one} onChoose={() => setGroup(one)}>
                        {groupNames[one]}
                    </GroupButton>
                ))}
            </div>
            {found.length === 0 && (
                <p role="status" className="text-sm text-muted-foreground">
                    <Trans>No matches.</Trans>
                </p>
            )}
            {groups.map(one => (
                <TemplateGroup
                    key={one}
                    title={groupNames[one]}
                    templates={found.filter(template => template.group === one)}
                    chosen={chosen}
                    onChoose={onChoose}
                />
            ))}
        </div>
    );
}

function useGroupNames(): Readonly<Record<Group, string>> {
    const { t } = useLingui();
    return {
        IMPORT: t({ message: 'Import', context: 'template groups' }),
        SYNC: t({ message: 'Sync', context: 'template groups' }),
        EXPORT: t({ message: 'Export', context: 'template groups' }),
        FEEDS: t({ message: 'Feeds', context: 'template groups' }),
        SEARCH: t({ message: 'Search', context: 'template groups' }),
        AUTOMATION: t({ message: 'Automation', context: 'template groups' }),
    };
}

interface GroupButtonProps {
    readonly isChosen: boolean;
    readonly onChoose: () => void;
    readonly children: ReactNode;
}

function GroupButton({ isChosen, onChoose, children }: GroupButtonProps): ReactNode {
    return (
        <Button
            type="button"
            size="sm"
            variant={isChosen ? 'secondary' : 'ghost'}
            aria-pressed={isChosen}
            onClick={onChoose}
        >
            {children}
        </Button>
    );
}

interface TemplateGroupProps extends TemplatesProps {
    readonly title: string;
    readonly templates: readonly Template[];
}

/** The details take a whole row; the cards after them fill the row before it. */
function TemplateGroup({ title, templates, chosen, onChoose }: TemplateGroupProps): ReactNode {
    const id = useId();
    if (templates.length === 0) return null;
    return (
        <section aria-labelledby={id} className="space-y-2">
            <h3 id={id} className="text-sm font-medium">
                {title}
            </h3>
            <div className="grid grid-flow-dense grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4">
                {templates.map(template => (
                    <Fragment key={template.code}>
                        <TemplateCard template={template} isChosen={template.code === chosen} onChoose={onChoose} />
                        {template.code === chosen && <TemplateDetails template={template} />}
                    </Fragment>
                ))}
            </div>
        </section>
    );
}

interface TemplateCardProps {
    readonly template: Template;
    readonly isChosen: boolean;
    readonly onChoose: TemplatesProps['onChoose'];
}

function TemplateCard({ template, isChosen, onChoose }: TemplateCardProps): ReactNode {
    const { t } = useLingui();
    const { code, title, description, definition } = template;
    const starts = useStarts(definition);
    if (!isObject(definition)) return null;
    return (
        <ChoiceCard isChosen={isChosen} onChoose={() => onChoose({ code, title, definition })}>
            <Picture definition={definition} label={t`Graph of its steps`} />
            <span className="block font-medium">{title}</span>
            <span className="block text-sm text-muted-foreground">{description}</span>
            {starts.length > 0 && (
                <span className="flex items-start gap-1.5 text-xs text-muted-foreground">
                    <ClockIcon aria-hidden className="mt-0.5 size-3 shrink-0" />
                    {starts.join(', ')}
                </span>
            )}
        </ChoiceCard>
    );
}

function Picture({ definition, label }: { readonly definition: Definition; readonly label: string }): ReactNode {
    return useMemo(() => <SmallPicture definition={definition} label={label} />, [definition, label]);
}

/** What starts its runs by itself once it is published. */
function useStarts(definition: unknown): readonly string[] {
    const textOfTrigger = useTriggerText();
    if (!isObject(definition)) return [];
    return stepsOf(definition).flatMap(({ kind, config }) => {
        const settings: Readonly<Record<string, unknown>> = isObject(config) ? config : {};
        const type = String(settings['type']);
        const isActive = kind === 'TRIGGER' && type !== 'MANUAL' && settings['enabled'] !== false;
        return isActive ? [textOfTrigger({ type, text: type, config: settings })] : [];
    });
}

function TemplateDetails({ template }: { readonly template: Template }): ReactNode {
    const { connections, secrets, notes, sample, definition } = template;
    const starts = useStarts(definition).join(', ');
    return (
        <section className="col-span-full min-w-0 space-y-3 rounded-lg border bg-muted/30 p-4 text-sm">
            {starts !== '' && (
                <p>
                    <Trans>Becomes active when you publish the pipeline: {starts}.</Trans>
                </p>
            )}
            {connections.length + secrets.length > 0 && (
                <div className="space-y-1">
                    <h4 className="font-medium">
                        <Trans>Connections and secrets that it needs</Trans>
                    </h4>
                    <ul className="space-y-1">
                        {connections.map(({ code, types }) => (
                            <Need key={code} code={code} to="/flow/connections">
                                <Trans>Connection ({types.join(', ')})</Trans>
                            </Need>
                        ))}
                        {secrets.map(code => (
                            <Need key={code} code={code} to="/flow/secrets">
                                <Trans>Secret</Trans>
                            </Need>
                        ))}
                    </ul>
                </div>
            )}
            {notes.length > 0 && (
                <div className="space-y-1">
                    <h4 className="font-medium">
                        <Trans>Before you publish</Trans>
                    </h4>
                    <ul className="list-disc space-y-1 pl-5">
                        {notes.map(note => (
                            <li key={note}>{note}</li>
                        ))}
                    </ul>
                </div>
            )}
            <h4 className="font-medium">
                <Trans>Sample data. Replace it with your file later.</Trans>
            </h4>
            <RecordTable records={sample} />
        </section>
    );
}

interface NeedProps {
    readonly code: string;
    readonly to: '/flow/connections' | '/flow/secrets';
    readonly children: ReactNode;
}

function Need({ code, to, children }: NeedProps): ReactNode {
    return (
        <li className="flex flex-wrap items-center gap-2">
            <Badge variant="outline" translate="no" className="font-mono">
                {code}
            </Badge>
            <Link to={to} target="_blank" className="underline">
                {children}
            </Link>
        </li>
    );
}
