import { Trans, useLingui } from '@lingui/react/macro';
import {
    Button,
    Field as FieldBox,
    FieldDescription,
    FieldError,
    FieldLabel,
    NativeSelect,
    NativeSelectOption,
} from '@vendure/dashboard';
import { ChevronDownIcon, ChevronRightIcon, CircleAlertIcon } from 'lucide-react';
import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react';
import { WithCode } from '../parts/with-code';
import { useFaultText } from './fault-text';
import { foldedFields } from './folds';
import { type EditorProps, type FormIssue, useSchemaForm, type ValueEditorProps } from './form-context';
import { IssueLine, IssueLines } from './issue-lines';
import { BooleanInput, JsonInput, LongTextInput, NumberInput, SelectInput, TextInput } from './inputs';
import {
    branchOf,
    type Field,
    type FieldKind,
    fieldsOf,
    fits,
    isRecord,
    type JsonSchema,
    kindOf,
    resolved,
} from './json-schema';
import { ListInput } from './list-input';
import { MapInput } from './map-input';
import { useSought } from './sought';
import { isShown, withChange, withValue } from './values';

const EDITORS = {
    text: TextInput,
    textarea: LongTextInput,
    number: NumberInput,
    boolean: BooleanInput,
    select: SelectInput,
    list: ListInput,
    map: MapInput,
    object: ObjectInput,
    choice: ChoiceInput,
    json: JsonInput,
} as Readonly<Record<FieldKind, ComponentType<EditorProps>>>;

/** The editor of a value: the widget that its field names, the editor of its type, or JSON when neither can show it. */
export function ValueEditor(props: ValueEditorProps): ReactNode {
    const { label, isInvalid = false, describedBy, ...rest } = props;
    const { root, widgets } = useSchemaForm();
    const kind = kindOf(props.schema, root);
    const Editor =
        (props.schema.widget === undefined ? undefined : widgets[props.schema.widget]) ??
        (fits(kind, props.value) ? EDITORS[kind] : JsonInput);
    const editor = <Editor {...rest} isInvalid={isInvalid} describedBy={describedBy} />;
    if (label === undefined) return editor;
    return (
        <>
            <label className="sr-only" htmlFor={props.id}>
                {label}
            </label>
            {editor}
        </>
    );
}

/** The fields of an object that mean something now. */
export function ObjectInput({ id, schema, value, onChange, path }: EditorProps): ReactNode {
    const { root, faults, issues, isReadOnly } = useSchemaForm();
    const values = isRecord(value) ? value : {};
    const fields = fieldsOf(schema, root);
    const shown = fields.filter(
        field =>
            isShown(field, fields, values) && (field.schema.codeFirstOnly !== true || values[field.key] !== undefined),
    );
    const strays = straysOf(issues, path, shown);
    const begin = path === '' ? 0 : path.length + 1;
    const sought = issues.filter(({ reached }) => reached !== undefined);
    const prefix = path === '' ? '' : `${path}.`;
    const { first, folds } = path === '' ? foldedFields(shown) : { first: shown, folds: [] };
    const view = (field: Field): ReactNode => (
        <FieldView
            key={field.key}
            id={`${id}-${field.key}`}
            field={field}
            path={prefix + field.key}
            value={values[field.key]}
            onChange={changed => onChange(withChange(values, field, changed))}
        />
    );
    const unknown = [...new Set(strays.map(({ path: at }) => at.slice(begin).split('.')[0]!))].filter(
        key => Object.hasOwn(values, key) && !fields.some(field => field.key === key),
    );
    return (
        <div className="space-y-5" id={id} role="group">
            <IssueLines issues={strays} />
            {!isReadOnly &&
                unknown.map(key => (
                    <Button
                        key={key}
                        type="button"
                        size="sm"
                        variant="outline"
                        onClick={() => onChange(withValue(values, key, undefined))}
                    >
                        <Trans>Remove “{key}”</Trans>
                    </Button>
                ))}
            {first.map(view)}
            {folds.map(({ title, fields: some }) => (
                <Fold
                    key={title ?? ''}
                    title={title}
                    isSet={some.some(({ key }) => values[key] !== undefined)}
                    needsAttention={some.some(({ key }) => isMentioned(prefix + key, [...faults, ...issues]))}
                    isSought={some.some(({ key }) => isMentioned(prefix + key, sought))}
                >
                    {some.map(view)}
                </Fold>
            ))}
        </div>
    );
}

interface FoldProps {
    /** Undefined for settings without a group. */
    readonly title: string | undefined;
    /** Whether one of its fields has a value. */
    readonly isSet: boolean;
    /** Whether one of its fields has an error or a warning. */
    readonly needsAttention: boolean;
    /** Whether the user looks for an issue of one of its fields. */
    readonly isSought: boolean;
    readonly children: ReactNode;
}

/** Settings that few users need, folded until one of them is set or has an error. */
function Fold({ title, isSet, needsAttention, isSought, children }: FoldProps): ReactNode {
    const { t } = useLingui();
    const [wasSet] = useState(isSet);
    const [chosen, setChosen] = useState<boolean>();
    useEffect(() => {
        if (isSought) setChosen(true);
    }, [isSought]);
    const isOpen = chosen ?? (wasSet || needsAttention);
    return (
        <details
            className="rounded-md border"
            open={isOpen}
            onToggle={({ currentTarget }) => currentTarget.open !== isOpen && setChosen(currentTarget.open)}
        >
            <summary className="flex min-h-9 cursor-pointer items-center gap-2 px-3 text-sm font-medium">
                {isOpen ? (
                    <ChevronDownIcon aria-hidden className="size-4 shrink-0" />
                ) : (
                    <ChevronRightIcon aria-hidden className="size-4 shrink-0" />
                )}
                {title ?? <Trans>More settings</Trans>}
                {needsAttention && !isOpen && (
                    <CircleAlertIcon
                        className="ml-auto size-4 shrink-0 text-destructive"
                        aria-label={t`has errors or warnings`}
                    />
                )}
            </summary>
            {isOpen && <div className="space-y-5 border-t p-3">{children}</div>}
        </details>
    );
}

/** Whether something is reported about a field or a value in it. */
function isMentioned(path: string, reports: ReadonlyArray<{ readonly path: string }>): boolean {
    return reports.some(({ path: at }) => at === path || at.startsWith(`${path}.`));
}

/** Issues of fields that this object does not show, such as an unknown key or one that has no meaning at the moment. */
function straysOf(issues: readonly FormIssue[], path: string, shown: readonly Field[]): readonly FormIssue[] {
    const begin = path === '' ? '' : `${path}.`;
    return issues.filter(
        ({ path: at }) =>
            at !== path && at.startsWith(begin) && !shown.some(({ key }) => `${at}.`.startsWith(`${begin}${key}.`)),
    );
}

interface FieldViewProps {
    readonly id: string;
    readonly field: Field;
    readonly path: string;
    readonly value: unknown;
    readonly onChange: (value: unknown) => void;
}

/** A field with its name, what it is for, and what is wrong with it. */
function FieldView({ id, field, path, value, onChange }: FieldViewProps): ReactNode {
    const { root, faults, issues } = useSchemaForm();
    const { t } = useLingui();
    const textOf = useFaultText();
    const { schema, isRequired, key } = field;
    const kind = kindOf(schema, root);
    const isNested = kind === 'object' && !isEditedByWidget(schema);
    const all = issuesAt(issues, path, fits(kind, value) && (isNested || hasFieldsWithin(schema, root)));
    const place = useRef<HTMLDivElement & HTMLFieldSetElement>(null);
    useSought(place, all, path);
    const seen = faults.find(one => one.path === path);
    // An error that the page finds itself is not repeated by the server's message, unless only the server knows what is allowed.
    const isVague = seen?.problem === 'shape' || seen?.problem === 'type';
    const fault = isVague && all.some(({ severity }) => severity === 'ERROR') ? undefined : seen;
    const said = fault ? all.filter(({ severity }) => severity !== 'ERROR') : all;
    const isInvalid = fault !== undefined || said.some(({ severity }) => severity === 'ERROR');
    const describedBy =
        [schema.description && `${id}-about`, fault && `${id}-fault`, said.length > 0 && `${id}-said`]
            .filter(Boolean)
            .join(' ') || undefined;
    const name = schema.title ?? schema.anyOf?.find(branch => branch.title)?.title ?? key;
    const label = (
        <FieldLabel htmlFor={id}>
            {name}
            {isRequired && (
                <span className="text-muted-foreground font-normal" aria-label={t`required`}>
                    *
                </span>
            )}
        </FieldLabel>
    );
    const about = schema.description !== undefined && (
        <FieldDescription id={`${id}-about`}>
            <WithCode text={schema.description} />
        </FieldDescription>
    );
    const editor = (
        <ValueEditor
            id={id}
            schema={schema}
            isRequired={isRequired}
            value={value}
            onChange={onChange}
            path={path}
            isInvalid={isInvalid}
            describedBy={describedBy}
        />
    );
    const remarks = said.length > 0 && (
        <div id={`${id}-said`}>
            {said.map(issue => (
                <IssueLine key={`${issue.path} ${issue.message}`} issue={issue} />
            ))}
        </div>
    );
    if (isNested)
        return (
            <fieldset ref={place} className="rounded-md border p-4 space-y-4">
                <legend className="px-1 text-sm font-medium">{name}</legend>
                {about}
                {editor}
                {remarks}
            </fieldset>
        );
    return (
        <FieldBox ref={place} data-invalid={isInvalid}>
            {kind === 'boolean' ? (
                <div className="flex items-center justify-between gap-4">
                    {label}
                    {editor}
                </div>
            ) : (
                <>
                    {label}
                    {/* The error marks its own field, not the neighbours. */}
                    <div className="space-y-2 text-foreground">{editor}</div>
                </>
            )}
            {about}
            {fault && <FieldError id={`${id}-fault`}>{textOf(fault)}</FieldError>}
            {remarks}
        </FieldBox>
    );
}

/** Those about the field itself; about what is in it too, where nothing in it says so. */
function issuesAt(issues: readonly FormIssue[], path: string, isSaidWithin: boolean): readonly FormIssue[] {
    return issues.filter(issue => issue.path === path || (!isSaidWithin && issue.path.startsWith(`${path}.`)));
}

function isEditedByWidget(schema: JsonSchema): boolean {
    return schema.widget === 'conditions' || schema.widget === 'operators';
}

/** Whether its entries have their own fields, which show their own errors. */
function hasFieldsWithin(schema: JsonSchema, root: JsonSchema): boolean {
    if (schema.widget === 'operators') return true;
    return kindOf(schema, root) === 'list' && kindOf(resolved(schema.items ?? {}, root), root) === 'object';
}

/** One of several shapes, which values show by their types. What was entered in one is kept while another is looked at. */
function ChoiceInput(props: EditorProps): ReactNode {
    const { t } = useLingui();
    const { root, isReadOnly } = useSchemaForm();
    const { schema, value, onChange, id } = props;
    const branches = (schema.anyOf ?? []).map(branch => resolved(branch, root));
    const [chosen, setChosen] = useState(() => branchOf(branches, value));
    const [kept, setKept] = useState<Readonly<Record<number, unknown>>>({});
    const at = value === undefined ? chosen : branchOf(branches, value);
    const branch = branches[at] ?? {};
    const words: Readonly<Record<string, string>> = {
        string: t`a text`,
        number: t`a number`,
        integer: t`a number`,
        boolean: t`yes or no`,
        array: t`a list`,
        object: t`several settings`,
    };
    const nameOf = (one: JsonSchema): string => words[one.type ?? ''] ?? one.title ?? t`something else`;
    return (
        <div className="space-y-2">
            <NativeSelect
                aria-label={t`Kind of value`}
                value={String(at)}
                disabled={isReadOnly}
                onChange={({ target }) => {
                    const next = Number(target.value);
                    setKept({ ...kept, [at]: value });
                    setChosen(next);
                    // Looking at another kind changes nothing while no field is filled in, and neither does the enclosing field.
                    if (kept[next] !== value) onChange(kept[next]);
                }}
            >
                {branches.map((one, i) => (
                    <NativeSelectOption key={i} value={String(i)}>
                        {nameOf(one)}
                    </NativeSelectOption>
                ))}
            </NativeSelect>
            <ValueEditor {...props} id={id} key={at} schema={branch} />
        </div>
    );
}
