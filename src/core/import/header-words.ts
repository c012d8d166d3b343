/** Words of headers by language. A word is normalised: lower case, without accents, words separated by one blank. */
const WORDS: Readonly<Record<string, string>> = {
    en: 'sku,item number,item no,article number,product code,part number,stock code,name,title,product name,label,handle,slug,url key,description,body,body html,price,list price,sale price,special price,variant price,compare at price,cost,cost price,quantity,qty,stock,inventory,on hand,available,enabled,active,published,status,visible,tax,vat,tax class,tax rate,tax category,brand,vendor,manufacturer,category,categories,category path,product type,type,tags,keywords,image,images,image url,image src,barcode,weight,variant grams,material,color,colour,size,parent,parent sku,item group id,style,seo title,seo description,meta title,meta description,email,e mail,email address,first name,last name,full name,phone,company,street,address,address 1,address 2,zip,zip code,postal code,postcode,city,state,province,country,customer group,group,order number,order id,order date,date,created at,updated at,currency,unit,width,height,length,depth,gender,age group,facet,facets,collection,collections,facet name,facet value,option,options,option groups,option values,assets,product assets,variant assets,stock on hand,track inventory,variant facets,position,supplier,notes',
    de: 'artikelnummer,artikel nr,artikelnr,art nr,artnr,bestellnummer,produktnummer,bezeichnung,artikelbezeichnung,kurzbezeichnung,produktname,titel,beschreibung,langtext,kurztext,preis,vk,ek,verkaufspreis,einkaufspreis,bruttopreis,nettopreis,einzelpreis,uvp,bestand,lagerbestand,menge,anzahl,lager,verfugbar,aktiv,sichtbar,mwst,steuersatz,ust,marke,hersteller,kategorie,warengruppe,produktgruppe,schlagworte,bild,bilder,bild url,strichcode,gewicht,werkstoff,farbe,grosse,hauptartikel,vorname,nachname,kundenname,telefon,firma,strasse,anschrift,adresse,plz,postleitzahl,ort,stadt,bundesland,land,kundengruppe,auftragsnummer,bestelldatum,datum,verpackungseinheit,einheit,ve,lieferzeit,lange,breite,hohe,tiefe,wahrung,lieferant,kundennummer,e mail adresse,mindestmenge,sprache,geschlecht,bemerkung,oberkategorie',
    fr: 'reference,ref,code article,designation,libelle,intitule,nom,nom du produit,description,descriptif,prix,prix ttc,prix ht,tarif,quantite,qte,disponible,actif,publie,tva,marque,fabricant,categorie,famille,rayon,gamme,mots cles,etiquettes,photo,gencod,code barre,code barres,poids,matiere,couleur,coloris,taille,pointure,courriel,prenom,nom de famille,telephone,tel,societe,entreprise,adresse,rue,code postal,cp,ville,pays,unite,largeur,hauteur,longueur,devise,fournisseur,date de commande',
    es: 'referencia,codigo,codigo de articulo,nombre,denominacion,titulo,descripcion,precio,pvp,tarifa,existencias,cantidad,activo,publicado,iva,marca,fabricante,categoria,familia,etiquetas,imagen,imagenes,foto,codigo de barras,peso,tejido,color,talla,tamano,correo,correo electronico,apellido,apellidos,telefono,movil,empresa,direccion,calle,codigo postal,ciudad,provincia,pais,unidad,ancho,alto,largo,moneda,proveedor,fecha',
    it: 'codice,codice articolo,cod art,riferimento,nome,denominazione,titolo,descrizione,prezzo,listino,giacenza,quantita,disponibilita,attivo,iva,aliquota,marca,produttore,categoria,reparto,etichette,immagine,immagini,codice a barre,peso,materiale,tessuto,colore,taglia,misura,cognome,telefono,azienda,indirizzo,via,cap,citta,provincia,paese,unita,larghezza,altezza,lunghezza,valuta,fornitore,data',
    nl: 'artikelnummer,artikelcode,productcode,bestelnummer,naam,omschrijving,productnaam,titel,beschrijving,prijs,verkoopprijs,adviesprijs,inkoopprijs,voorraad,aantal,beschikbaar,actief,btw,merk,fabrikant,categorie,productgroep,rubriek,trefwoorden,afbeelding,afbeeldingen,streepjescode,gewicht,materiaal,kleur,maat,afmeting,voornaam,achternaam,telefoonnummer,telefoon,bedrijf,bedrijfsnaam,adres,straat,postcode,plaats,woonplaats,land,eenheid,breedte,hoogte,lengte,valuta,leverancier,datum',
    pl: 'kod,kod produktu,symbol,indeks,numer katalogowy,nazwa,nazwa produktu,tytul,opis,cena,cena brutto,cena netto,stan,ilosc,stan magazynowy,aktywny,vat,stawka vat,marka,producent,kategoria,grupa towarowa,tagi,zdjecie,zdjecia,obraz,ean,kod kreskowy,waga,masa,material,kolor,rozmiar,imie,nazwisko,telefon,firma,ulica,adres,kod pocztowy,miasto,wojewodztwo,kraj,jednostka,szerokosc,wysokosc,dlugosc,waluta,dostawca,data',
    pt: 'referencia,codigo do produto,codigo do artigo,nome,designacao,titulo,nome do produto,descricao,preco,preco de venda,quantidade,estoque,disponivel,ativo,iva,imposto,marca,fabricante,categoria,seccao,etiquetas,imagem,imagens,codigo de barras,peso,tecido,cor,tamanho,medida,apelido,sobrenome,telefone,telemovel,empresa,morada,rua,codigo postal,cep,cidade,distrito,pais,unidade,largura,altura,comprimento,moeda,fornecedor,data',
};
/** Words of all languages. */
const NEUTRAL = 'ean,gtin,upc,isbn,ean13,id,sku,mpn,url,vpe,html,pcs';

const LANGUAGES_OF_WORD = languagesOfWord();

const CODE_WORDS =
    /\b(sku|id|nr|no|number|code|kod|codigo|codice|reference|referencia|riferimento|ref|artikelnummer|artnr|bestellnummer|handle|slug|symbol|indeks|mpn|plz|zip|postcode|postal|postleitzahl|cep|phone|telefon|tel|mobile|artikelcode|kundennummer)\b/;
const PRICE_WORDS =
    /\b(price|compare at|total|subtotal|amount|betrag|montant|importe|importo|kwota|preis|prix|precio|prezzo|prijs|cena|preco|uvp|rrp|msrp|pvp|vk|ek|cost|tarif|tarifa|listino|kosten)\b|preis\b|prijs\b/;
const DATE_WORDS = /\b(date|datum|fecha|data|created at|updated at|placed at|birthday|geburtstag)\b|datum\b/;
const BARCODE_WORDS =
    /\b(ean\d*|gtin\d*|upc|barcode|strichcode|gencod|isbn|code barres?|kod kreskowy|codice a barre|codigo de barras|streepjescode)\b/;
const COUNTRY_WORDS = /\b(country|land|pays|pais|paese|kraj|nation|countrycode)\b/;
const YES_NO_WORDS =
    /\b(active|enabled|published|visible|online|available|taxable|aktiv|sichtbar|freigegeben|actif|publie|activo|publicado|attivo|actief|aktywny|ativo|is|has|gift card|requires shipping|newsletter|opt in|featured|in stock|track inventory)\b/;
const OPTION_WORDS =
    /\b(size|color|colour|farbe|grosse|taille|couleur|coloris|pointure|talla|taglia|colore|kleur|maat|kolor|rozmiar|cor|tamanho|option\d* value)\b/;
const GROUP_WORDS =
    /\b(handle|parent|item group id|group id|style|style number|modell|hauptartikel|parent sku|parent id|eltern sku|vaterartikel|modele|modelo|modello)\b/;

const WITH_TAX =
    /\b(brutto|gross|ttc|incl|inkl|iva incl|con iva|com iva|incl btw|uvp|rrp|msrp|pvp|tax included|including tax)\b|brutto/;
const WITHOUT_TAX =
    /\b(netto|net|ht|excl|exkl|sans tva|sin iva|sem iva|ek|wholesale|tax excluded|excluding tax|zzgl)\b|netto/;

const LANGUAGES = 'de|en|fr|es|it|nl|pl|pt|cs|sk|da|sv|fi|hu|ro|tr|ru|uk|bg|hr|sl|lt|lv|et|ja|zh';
const LANGUAGE_NAMES: ReadonlyArray<readonly [RegExp, string]> = [
    [/\b(deutsch|german)\b/, 'de'],
    [/\b(english|englisch|anglais|ingles|inglese)\b/, 'en'],
    [/\b(francais|french|franzosisch)\b/, 'fr'],
    [/\b(espanol|spanish|spanisch)\b/, 'es'],
    [/\b(italiano|italian|italienisch)\b/, 'it'],
    [/\b(nederlands|dutch|niederlandisch)\b/, 'nl'],
    [/\b(polski|polish|polnisch)\b/, 'pl'],
    [/\b(portugues|portuguese|portugiesisch)\b/, 'pt'],
];

/** What the name of a column says about its values. */
export interface HeaderMeaning {
    readonly isCode: boolean;
    readonly isPrice: boolean;
    readonly isDate: boolean;
    readonly isBarcode: boolean;
    readonly isCountry: boolean;
    readonly isYesNo: boolean;
    readonly isOption: boolean;
    readonly isGroup: boolean;
    readonly language?: string;
    readonly tax?: 'WITH' | 'WITHOUT';
}

/** A name in lower case without accents and signs; its words are separated by one blank. `camelCase` is two words. */
export function foldHeader(name: string): string {
    return name
        .replace(/(\p{Ll})(\p{Lu}\p{Ll})/gu, '$1 $2')
        .toLowerCase()
        .replace(/ł/g, 'l')
        .replace(/ß/g, 'ss')
        .normalize('NFD')
        .replace(/\p{M}/gu, '')
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim();
}

/** What the name of a column says about its values. */
export function readHeader(name: string): HeaderMeaning {
    const words = foldHeader(name);
    const language =
        new RegExp(`(?:^|[\\p{L}\\p{N})])[ ._(\\[:-]+(${LANGUAGES})(?:[_-][a-z]{2})?[)\\]]?$`, 'iu')
            .exec(name)?.[1]
            ?.toLowerCase() ?? LANGUAGE_NAMES.find(([pattern]) => pattern.test(words))?.[1];
    const tax = WITHOUT_TAX.test(words) ? 'WITHOUT' : WITH_TAX.test(words) ? 'WITH' : undefined;
    return {
        isCode: CODE_WORDS.test(words) || /nummer$|nr$/.test(words),
        isPrice: PRICE_WORDS.test(words),
        isDate: DATE_WORDS.test(words),
        isBarcode: BARCODE_WORDS.test(words),
        isCountry: COUNTRY_WORDS.test(words),
        isYesNo: YES_NO_WORDS.test(words),
        isOption: OPTION_WORDS.test(words),
        isGroup: GROUP_WORDS.test(words),
        ...(language !== undefined && { language }),
        ...(tax !== undefined && { tax }),
    };
}

/** True for a word that headers have, also with a language, a currency or a number after it: `name_de`, `image 2`. */
export function isHeaderWord(cell: string): boolean {
    return languagesIn(cell).length > 0;
}

/** The language of most names; undefined if it is not clear. */
export function languageOfHeaders(names: readonly string[]): string | undefined {
    const scores = new Map<string, number>();
    for (const name of names) {
        const languages = languagesIn(name).filter(language => language !== '');
        for (const language of languages) scores.set(language, (scores.get(language) ?? 0) + 1 / languages.length);
    }
    const [first, second] = [...scores].sort(([, a], [, b]) => b - a);
    return first && first[1] >= 1 && first[1] >= 1.5 * (second?.[1] ?? 0) ? first[0] : undefined;
}

/** The languages of a name; one that all languages have gives an empty text. */
function languagesIn(name: string): readonly string[] {
    const words = foldHeader(name);
    const short = words
        .replace(/^(?:variant|product|produkt|artikel|google shopping|option) /, '')
        .replace(
            new RegExp(` (?:${LANGUAGES}|eur|usd|gbp|chf|pln|\\d+|brutto|netto|gross|net|kg|g|cm|mm|value|name)$`),
            '',
        )
        .replace(/(\D)\d$/, '$1');
    return LANGUAGES_OF_WORD.get(words) ?? LANGUAGES_OF_WORD.get(short) ?? [];
}

function languagesOfWord(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, string[]>();
    for (const [language, list] of Object.entries(WORDS)) {
        for (const word of new Set(list.split(','))) found.set(word, [...(found.get(word) ?? []), language]);
    }
    for (const word of NEUTRAL.split(',')) found.set(word, ['']);
    return found;
}
