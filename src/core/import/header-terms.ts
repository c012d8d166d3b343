/** Words of headers that are not the name of a field. All are lower-case and without accents, as `headerKeyOf` writes them. */

function words(text: string): ReadonlySet<string> {
    return new Set(text.split(/\s+/).filter(word => word !== ''));
}

/** Words that leave the meaning of a header as it is: `Artikel-Bezeichnung`, `main image`, `col3`. */
export const NEUTRAL_WORDS = words(`
    variante variantes varianti variants wariant variatie primary contact internal interna interno interne intern loja na tienda en negozio boutique winkel sklepie w sklep
    our own free actual eu unser unsere eigene notre nuestro nuestra nostro onze vrije wolny libre libero
    article articles product products item items variant main col column field the of your my no new current default base
    art artikel artikels produkt produkte hauptartikel feld spalte der die das des im
    article articles produit produits du de la le les en
    articulo articulos producto productos del el los
    articolo articoli prodotto prodotti della di il
    artikelen product van het
    towar towaru produkt produktu artykul artykulu
    artigo artigos produto produtos do da
    customer client kunde kunden klant cliente klient klienta src shop web store website
    lineitem line billing bill rechnung rechnungs facturation facturacion fatturazione factuur faktura
`);

/** Words that make something else of a field's name: a price group is not a price. */
export const CHANGING_WORDS = words(`
    id ids uuid guid old previous former group groups consent optin opt date time datetime type types class url link uri parent tier min minimum max maximum status
    state note notes comment remark count number unit units per pack package packaging case pallet carton box dimension supplier vendor
    delivery shipping lead history average avg total sum discount special sale promo promotion percent rate margin score rating rank position sort order
    alt alternative format label file path template code codes language locale currency attribute flag reserved ordered incoming expected
    minimal threshold alert backorder reorder safety location warehouse address cost costs surcharge deposit base index created updated modified
    changed start end from until to valid validity extra additional other second secondary related cross similar upsell width height length depth
    volume area diameter version revision year month day week season gender age condition warranty customs tariff origin hs intrastat hazmat
    legacy archive backup import export external private test temp draft hash checksum raw original short meta seo google amazon ebay
    alt alter alte altes gruppe gruppen zustimmung einwilligung datum zeit uhrzeit typ klasse eltern mindest minimal maximal staffel staffelung
    notiz bemerkung kommentar anzahl einheit einheiten je pro packung verpackung karton palette vpe me lieferant lieferanten lieferung liefer lieferzeit
    versand verfuegbar historie durchschnitt gesamt summe rabatt aktion aktions sonder prozent satz marge bewertung rang reihenfolge dateiname datei
    pfad vorlage sprache waehrung kennzeichen reserviert bestellt zulauf erwartet meldebestand lagerort lagerplatz standort pfand zuschlag grund ab bis
    gueltig gueltigkeit weitere zusaetzlich zubehoer breite hoehe laenge tiefe volumen durchmesser version jahr saison geschlecht alter garantie zolltarif zoll
    herkunft ursprung gefahrgut extern kurz lang ust idnr steuernummer geburtstag geburtsdatum
    ancien ancienne groupe consentement date heure type classe lien parent minimum maximum remarque commentaire nombre unite par lot colis conditionnement
    fournisseur livraison delai expedition historique moyenne total somme remise promo solde taux marge note rang ordre fichier chemin langue devise
    reserve commande seuil alerte emplacement entrepot largeur hauteur longueur profondeur annee saison genre garantie douane origine
    eco ecotaxe participation
    antiguo grupo consentimiento fecha hora tipo clase enlace padre minimo maximo nota comentario numero unidad unidades por paquete embalaje caja proveedor
    entrega envio plazo historial media total suma descuento oferta promocion porcentaje margen puntuacion rango orden archivo ruta idioma moneda
    reservado pedido umbral alerta ubicacion almacen ancho alto largo profundidad ano temporada genero garantia aduana origen
    vecchio gruppo consenso data ora tipo classe collegamento minimo massimo nota commento numero unita per confezione imballo cartone fornitore
    consegna spedizione tempi storico media totale somma sconto offerta promozione percentuale margine punteggio ordine percorso lingua valuta
    riservato ordinato soglia avviso ubicazione magazzino larghezza altezza lunghezza profondita anno stagione genere garanzia dogana origine
    oud oude groep toestemming datum tijd soort klasse koppeling ouder minimum maximum opmerking aantal eenheid verpakking doos leverancier
    levering levertijd verzending historie gemiddelde totaal som korting actie percentage marge beoordeling volgorde bestand pad taal valuta gereserveerd
    besteld drempel locatie magazijn breedte hoogte lengte diepte jaar seizoen geslacht garantie douane herkomst
    stary stara stare grupa zgoda data czas typ klasa link rodzic minimalny minimalna minimalne min maksymalny uwagi komentarz liczba jednostka jm opakowanie karton dostawca
    dostawa dostawy wysylka wysylki historia srednia suma rabat promocja promocyjna procent marza ocena kolejnosc plik sciezka jezyk waluta zarezerwowane
    zamowione prog lokalizacja magazyn szerokosc wysokosc dlugosc glebokosc rok sezon plec gwarancja clo pochodzenie
    antigo grupo consentimento data hora tipo classe ligacao pai minimo maximo nota comentario numero unidade por embalagem caixa fornecedor
    entrega envio prazo historico media total soma desconto oferta promocao percentagem margem pontuacao ordem ficheiro caminho idioma moeda
    reservado encomendado limite localizacao armazem largura altura comprimento profundidade ano estacao genero garantia alfandega origem
`);

/** Beginnings of German and Dutch compounds that make something else of the word: `Mindestmenge`, `Staffelpreis`. */
export const CHANGING_PREFIXES = words(`
    mindest staffel verpackungs liefer grund versand alt unter ober melde sicherheits sperr reserve rest soll max min gesamt aktions sonder
    rabatt pfand miet vor nach basis ziel preis lieferanten ersatz zusatz karton paletten rueck zoll steuer firmen benutzer datei
    minimum staffel verpakkings lever verzend actie korting totaal veiligheids leverancier leveranciers
`);

/** Beginnings of compounds that leave the word as it is: `Artikelbezeichnung`. */
export const NEUTRAL_PREFIXES = words(
    'artikel produkt product artikels waren kunden kunde klant klanten shop haupt verkaufs verkoop rechnungs',
);

/** Words about tax, and what they say of an amount. */
export const TAX_WORDS: ReadonlyMap<string, 'WITH' | 'WITHOUT'> = new Map<string, 'WITH' | 'WITHOUT'>(
    Object.entries({
        brutto: 'WITH',
        bruto: 'WITH',
        gross: 'WITH',
        ttc: 'WITH',
        inkl: 'WITH',
        incl: 'WITH',
        inc: 'WITH',
        including: 'WITH',
        ivato: 'WITH',
        ivata: 'WITH',
        netto: 'WITHOUT',
        net: 'WITHOUT',
        neto: 'WITHOUT',
        ht: 'WITHOUT',
        exkl: 'WITHOUT',
        excl: 'WITHOUT',
        ex: 'WITHOUT',
        excluding: 'WITHOUT',
        zzgl: 'WITHOUT',
        compresa: 'WITH',
        inclusa: 'WITH',
        incluido: 'WITH',
        esclusa: 'WITHOUT',
    }),
);

/** Names of prices that say something about tax, and stay part of the header. */
export const TAXED_PRICES: ReadonlyMap<string, 'WITH' | 'WITHOUT'> = new Map<string, 'WITH' | 'WITHOUT'>(
    Object.entries({
        uvp: 'WITH',
        rrp: 'WITH',
        msrp: 'WITH',
        srp: 'WITH',
        pvp: 'WITH',
        ek: 'WITHOUT',
        wholesale: 'WITHOUT',
    }),
);

/** Words that mean with and without before the name of a tax: `sin IVA`, `c/ IVA`. */
export const TAX_PREFIXES: ReadonlyMap<string, 'WITH' | 'WITHOUT'> = new Map([
    ['c', 'WITH'],
    ['con', 'WITH'],
    ['com', 'WITH'],
    ['s', 'WITHOUT'],
    ['sin', 'WITHOUT'],
    ['sem', 'WITHOUT'],
    ['senza', 'WITHOUT'],
    ['hors', 'WITHOUT'],
    ['bez', 'WITHOUT'],
] as const);

/** Words that leave the meaning of a header as it is, in columns with pictures. */
export const PICTURE_WORDS = words('url urls link links src path file href lien enlace pfad datei media http https');

/** Words for one of several pictures: the first one, and the others. */
export const FIRST_PICTURE_WORDS = words(
    'main primary featured cover base principal principale principali haupt hauptbild titelbild basisbild hoofd hoofdafbeelding glowne glowny destacada portada evidenza',
);
export const OTHER_PICTURE_WORDS = words(
    'additional extra other others more gallery weitere zusaetzliche galerie autres supplementaires additionnelles galleria altre aggiuntive adicionales otras overige extra dodatkowe adicionais outras',
);

/** Words that leave the meaning of a header as it is, in columns with texts of products: `Style name`, `Descr. modello`. */
export const OWNER_WORDS = words('model models modell modele modello modelo style stil variant variante');

/** Words that leave the meaning of a header as it is, in columns with tax: `VAT code`, `Cod. IVA`. */
export const TAX_CODE_WORDS = words(
    'code cod codice codigo kennzeichen kz schluessel key class klasse classe category kategorie categorie categoria in satz rate taux tarief',
);

/** Words that leave the meaning of a header as it is, in columns with yes and no: `Visible sur le site`. */
export const LOCATION_WORDS = words(
    'site website web shop store online im in sur le la on the en el la sul sito op de webshop na stronie',
);

/** Words for whose number an article has. */
export const SUPPLIER_WORDS = words(
    'supplier suppliers vendor lieferant lieferanten lief fournisseur four fourn proveedor prov fornitore forn leverancier lev dostawca dostawcy dost fornecedor',
);

/** Words for stock that can be sold, and for all that is there. */
export const FREE_STOCK_WORDS = words(
    'free available avail sellable sell frei freie freier verfuegbar verfugbar verf libre disponible dispo libero disponibile disp vrij vrije beschikbaar wolne dostepne livre disponivel',
);

/** Words that leave the meaning of a header as it is, in columns with short words: `Category Name`, `Color Description`. */
export const TITLE_WORDS = words(`
    name title text label description value bezeichnung bez titel beschreibung wert nom lib libelle designation nombre descripcion titulo valor
    nome descrizione titolo valore naam omschrijving waarde nazwa opis wartosc designacao descricao
`);

/** Names of fields that mean anything together with another word: `Commodity Code`. */
export const COMMON_WORDS = words(`
    code codes number no nr nummer num ref reference item article artikel label text body name title group model style status date
    codice cod codigo referencia nome nombre nom titre titulo titolo naam nazwa kod numer indeks symbol produkt product produto state
    menge aantal cantidad quantidade quantita quantite ilosc order contact key value wert valor valeur tax make detail details
`);

/** Words that are left out of a header together with a word about tax: `inkl. MwSt.`. */
export const TAX_NAMES = words(
    'mwst ust vat tax btw iva tva gst taxe taxes steuer moms impuestos impuesto impostos imposto tasse podatku',
);

/** What a word of a header says of the currency. */
export const CURRENCY_WORDS: ReadonlyMap<string, string> = new Map<string, string>(
    Object.entries({
        eur: 'EUR',
        euro: 'EUR',
        euros: 'EUR',
        usd: 'USD',
        dollar: 'USD',
        gbp: 'GBP',
        pound: 'GBP',
        chf: 'CHF',
        sfr: 'CHF',
        franken: 'CHF',
        pln: 'PLN',
        zl: 'PLN',
        czk: 'CZK',
        kc: 'CZK',
        sek: 'SEK',
        nok: 'NOK',
        dkk: 'DKK',
        huf: 'HUF',
        ron: 'RON',
        cad: 'CAD',
        aud: 'AUD',
        nzd: 'NZD',
        jpy: 'JPY',
        cny: 'CNY',
        brl: 'BRL',
        mxn: 'MXN',
        inr: 'INR',
        try: 'TRY',
        zar: 'ZAR',
    }),
);

/** Signs of currencies in headers and values; `$` is the dollar that the shop has. */
export const CURRENCY_SIGNS: ReadonlyMap<string, string> = new Map<string, string>(
    Object.entries({
        '€': 'EUR',
        '£': 'GBP',
        $: 'USD',
        '¥': 'JPY',
        zł: 'PLN',
        Kč: 'CZK',
        R$: 'BRL',
        '₹': 'INR',
        '₺': 'TRY',
    }),
);

/** Currencies that are written with the same sign. */
export const SHARED_SIGNS: readonly (readonly string[])[] = [
    ['USD', 'CAD', 'AUD', 'NZD', 'MXN', 'SGD', 'HKD'],
    ['SEK', 'NOK', 'DKK', 'ISK'],
];

/** Words for languages at the end of a header. */
export const LANGUAGE_WORDS: ReadonlyMap<string, string> = new Map<string, string>(
    Object.entries({
        de: 'de',
        deutsch: 'de',
        german: 'de',
        allemand: 'de',
        en: 'en',
        eng: 'en',
        english: 'en',
        englisch: 'en',
        anglais: 'en',
        fr: 'fr',
        french: 'fr',
        francais: 'fr',
        franzosisch: 'fr',
        es: 'es',
        spanish: 'es',
        espanol: 'es',
        spanisch: 'es',
        it: 'it',
        italian: 'it',
        italiano: 'it',
        italienisch: 'it',
        nl: 'nl',
        dutch: 'nl',
        nederlands: 'nl',
        pl: 'pl',
        polish: 'pl',
        polski: 'pl',
        pt: 'pt',
        portuguese: 'pt',
        portugues: 'pt',
        cs: 'cs',
        cz: 'cs',
        da: 'da',
        dk: 'da',
        sv: 'sv',
        fi: 'fi',
        hu: 'hu',
        sk: 'sk',
        ro: 'ro',
    }),
);

/** Units of measurement at the end of a header. */
export const UNIT_WORDS = words('kg g gr gram grams lb lbs oz mm cm m stk stck st pcs szt ud uds pz pezzi stuks l ml');

/** Words for yes and no, in pairs. */
export const BOOLEAN_WORDS: ReadonlyArray<readonly [yes: string, no: string]> = [
    ['yes', 'no'],
    ['true', 'false'],
    ['1', '0'],
    ['y', 'n'],
    ['on', 'off'],
    ['active', 'inactive'],
    ['enabled', 'disabled'],
    ['x', ''],
    ['published', 'draft'],
    ['live', 'discontinued'],
    ['current', 'discontinued'],
    ['active', 'discontinued'],
    ['active', 'archived'],
    ['visible', 'hidden'],
    ['ja', 'nein'],
    ['j', 'n'],
    ['wahr', 'falsch'],
    ['aktiv', 'inaktiv'],
    ['aktiviert', 'deaktiviert'],
    ['lieferbar', 'auslauf'],
    ['veröffentlicht', 'entwurf'],
    ['oui', 'non'],
    ['vrai', 'faux'],
    ['actif', 'inactif'],
    ['activé', 'désactivé'],
    ['publié', 'brouillon'],
    ['sí', 'no'],
    ['si', 'no'],
    ['verdadero', 'falso'],
    ['activo', 'inactivo'],
    ['activado', 'desactivado'],
    ['publicado', 'borrador'],
    ['sì', 'no'],
    ['vero', 'falso'],
    ['attivo', 'inattivo'],
    ['attivato', 'disattivato'],
    ['pubblicato', 'bozza'],
    ['ja', 'nee'],
    ['waar', 'onwaar'],
    ['actief', 'inactief'],
    ['gepubliceerd', 'concept'],
    ['tak', 'nie'],
    ['prawda', 'fałsz'],
    ['aktywny', 'nieaktywny'],
    ['sim', 'não'],
    ['sim', 'nao'],
    ['ativo', 'inativo'],
];
