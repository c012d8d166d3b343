import { Trans, useLingui } from '@lingui/react/macro';
import { Card, CardContent, CardHeader, CardTitle } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { TextField } from '../../parts/text-field';
import { WizardScreen } from '../../parts/wizard/wizard-screen';
import { ChoiceCards } from './choice-cards';
import { ChoiceField } from './choice-field';
import { useExport } from './export-context';
import { EXPORT_FORMATS, type FeedSettings, isFeedFormat, missingOf } from './export-plan';
import { useFormatWords } from './export-words';
import { Preview } from './preview';

/** How the file is written. */
export function FormatScreen(): ReactNode {
    const { t } = useLingui();
    const { plan, change, open } = useExport();
    const words = useFormatWords();
    const isFeed = isFeedFormat(plan.format);
    const formats = EXPORT_FORMATS.filter(format => plan.entity === 'VARIANTS' || !isFeedFormat(format));
    return (
        <WizardScreen
            title={<Trans>In which format?</Trans>}
            primary={{
                label: <Trans>Continue</Trans>,
                onPress: () => open('DESTINATION'),
                isDisabled: missingOf(plan) === 'FEED',
                reason: <Trans>Enter the addresses and the country.</Trans>,
            }}
        >
            <ChoiceCards
                label={t`Format`}
                choices={formats}
                words={words}
                value={plan.format}
                onChange={format => change({ format })}
            />
            {plan.format === 'CSV' && (
                <Card>
                    <CardContent>
                        <ChoiceField
                            className="max-w-xs"
                            label={<Trans>Separator</Trans>}
                            value={plan.delimiter}
                            choices={[
                                [',', t`Comma`],
                                [';', t`Semicolon (Excel in many European languages)`],
                            ]}
                            onChange={delimiter => change({ delimiter: delimiter === ';' ? ';' : ',' })}
                        />
                    </CardContent>
                </Card>
            )}
            {isFeed && (
                <>
                    <FeedFields />
                    <Preview />
                </>
            )}
        </WizardScreen>
    );
}

/** What a feed needs that the shop does not know. */
function FeedFields(): ReactNode {
    const { t } = useLingui();
    const { plan, shop, change } = useExport();
    const { feed } = plan;
    const set = (changes: Partial<FeedSettings>): void => change({ feed: { ...feed, ...changes } });
    const custom = shop.customFields.flatMap(({ entity, name, label }): ReadonlyArray<readonly [string, string]> => {
        if (entity === 'ProductVariant') return [[`customFields.${name}`, label]];
        return entity === 'Product' ? [[`product.customFields.${name}`, label]] : [];
    });
    const slug = '${slug}';
    return (
        <Card>
            <CardHeader>
                <CardTitle>
                    <Trans>Feed</Trans>
                </CardTitle>
            </CardHeader>
            <CardContent className="grid gap-4 md:grid-cols-2">
                <TextField
                    label={<Trans>Address of a product</Trans>}
                    value={feed.productUrl}
                    placeholder="https://shop.example.com/products/${slug}"
                    help={<Trans>{slug} stands for the slug of the product.</Trans>}
                    onChange={productUrl => set({ productUrl: productUrl.trim() })}
                />
                <TextField
                    label={<Trans>Address of pictures</Trans>}
                    value={feed.pictureUrl}
                    placeholder="https://shop.example.com/assets/"
                    help={<Trans>The beginning of the addresses of pictures.</Trans>}
                    onChange={pictureUrl => set({ pictureUrl: pictureUrl.trim() })}
                />
                <TextField
                    label={<Trans>Country</Trans>}
                    value={feed.country}
                    placeholder="DE"
                    maxLength={2}
                    help={<Trans>Two letters. It decides whether prices include tax.</Trans>}
                    onChange={country => set({ country: country.toUpperCase() })}
                />
                <ChoiceField
                    label={<Trans>Brand</Trans>}
                    value={feed.brandFacet ?? ''}
                    choices={[['', t`No brand`], ...shop.facets.map(({ code, name }) => [code, name] as const)]}
                    onChange={code => set({ brandFacet: code === '' ? undefined : code })}
                />
                {custom.length > 0 && (
                    <ChoiceField
                        label={<Trans>GTIN</Trans>}
                        value={feed.gtinField ?? ''}
                        choices={[['', t`No GTIN`], ...custom]}
                        onChange={path => set({ gtinField: path === '' ? undefined : path })}
                    />
                )}
            </CardContent>
        </Card>
    );
}
