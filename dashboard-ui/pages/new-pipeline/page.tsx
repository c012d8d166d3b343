import { Trans, useLingui } from '@lingui/react/macro';
import {
    api,
    Button,
    Card,
    CardContent,
    Field,
    FieldDescription,
    FieldLabel,
    FullWidthPageBlock,
    Input,
    Page,
    PageLayout,
    PageTitle,
    useMutation,
    useNavigate,
} from '@vendure/dashboard';
import { type ReactNode, useState } from 'react';
import { useOnce } from '../../ground/use-once';
import { FaultNotice } from '../../parts/fault-notice';
import { codeOfName } from './code-of-name';
import { createDocument } from './new-pipeline.graphql';
import { type Beginning, Beginnings } from './beginnings';

/** What is it called, and what does it begin with? */
export default function NewPipelinePage(): ReactNode {
    const { t } = useLingui();
    const navigate = useNavigate();
    const [typedName, setName] = useState<string>();
    const [typedCode, setCode] = useState<string>();
    const [beginning, setBeginning] = useState<Beginning | undefined>({ from: 'nothing', definition: undefined });
    const called = beginning?.called;
    const name = typedName ?? called?.name ?? '';
    const code = typedCode ?? (typedName === undefined && called ? called.code : codeOfName(name));
    const create = useMutation({
        mutationFn: () =>
            api.mutate(createDocument, { code, name: name.trim() || code, definition: beginning?.definition }),
        onSuccess: ({ createFlowPipeline }) =>
            navigate({ to: `/flow/pipelines/${createFlowPipeline.id}/edit`, replace: true }),
    });
    const press = useOnce(create.mutateAsync);
    return (
        <Page pageId="flow-new-pipeline">
            <PageTitle>
                <Trans>New pipeline</Trans>
            </PageTitle>
            <PageLayout>
                <FullWidthPageBlock blockId="flow-new-pipeline">
                    <Card className="overflow-visible">
                        <CardContent>
                            <form
                                className="space-y-6"
                                onSubmit={event => {
                                    event.preventDefault();
                                    press();
                                }}
                            >
                                <div className="grid gap-4 md:grid-cols-2">
                                    <Field>
                                        <FieldLabel htmlFor="flow-new-name">
                                            <Trans>Name</Trans>
                                        </FieldLabel>
                                        <Input
                                            id="flow-new-name"
                                            autoFocus
                                            value={name}
                                            placeholder={t`Supplier prices`}
                                            onChange={({ target }) => setName(target.value)}
                                        />
                                    </Field>
                                    <Field>
                                        <FieldLabel htmlFor="flow-new-code">
                                            <Trans>Code</Trans>
                                        </FieldLabel>
                                        <Input
                                            id="flow-new-code"
                                            translate="no"
                                            value={code}
                                            onChange={({ target }) => setCode(target.value)}
                                        />
                                        <FieldDescription>
                                            <Trans>
                                                Lowercase letters, digits and hyphens. Cannot be changed after
                                                publishing. Used in webhook URLs.
                                            </Trans>
                                        </FieldDescription>
                                    </Field>
                                </div>
                                <Beginnings beginning={beginning} onChoose={setBeginning} />
                                <div className="sticky bottom-0 z-10 -mx-6 -mb-6 space-y-3 rounded-b-xl border-t bg-card px-6 py-4">
                                    {create.error && <FaultNotice error={create.error} />}
                                    <Button type="submit" disabled={code === '' || !beginning || create.isPending}>
                                        <Trans>Create pipeline</Trans>
                                    </Button>
                                </div>
                            </form>
                        </CardContent>
                    </Card>
                </FullWidthPageBlock>
            </PageLayout>
        </Page>
    );
}
