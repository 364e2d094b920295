/** The categories of `default.pii`, and names for groups of them. */
import type { Category } from '../finding.ts'

export const piiCategories = [
  { id: 'email', title: 'e-mail addresses' },
  { id: 'phone', title: 'telephone numbers, international and in common national forms' },
  { id: 'credit_card', title: 'numbers of payment cards (Luhn)' },
  { id: 'iban', title: 'international bank account numbers (mod 97)' },
  { id: 'ip_address', title: 'IP addresses of version 4 and 6, but loopback, unspecified and broadcast' },
  { id: 'us_ssn', title: 'US social security numbers' },
  { id: 'uk_nino', title: 'UK national insurance numbers' },
  { id: 'de_tax_id', title: 'German tax identification numbers (mod 11,10)' },
  { id: 'fr_nir', title: 'French social security numbers (mod 97)' },
  { id: 'es_dni', title: 'Spanish DNI and NIE (mod 23)' },
  { id: 'it_codice_fiscale', title: 'Italian tax codes (check letter)' },
  { id: 'nl_bsn', title: 'Dutch citizen service numbers (mod 11)' },
  { id: 'be_nrn', title: 'Belgian national register numbers (mod 97)' },
  { id: 'ch_ahv', title: 'Swiss social insurance numbers (mod 10)' },
  { id: 'pl_pesel', title: 'Polish PESEL (mod 10, after its name)' },
  { id: 'se_personnummer', title: 'Swedish personal identity numbers (Luhn)' },
  { id: 'fi_hetu', title: 'Finnish personal identity codes (mod 31)' },
  { id: 'br_cpf', title: 'Brazilian CPF (mod 11)' },
  { id: 'mx_curp', title: 'Mexican CURP (mod 10)' },
  { id: 'ca_sin', title: 'Canadian social insurance numbers (Luhn)' },
  { id: 'au_tfn', title: 'Australian tax file numbers (mod 11, after their name)' },
  { id: 'in_aadhaar', title: 'Indian Aadhaar (Verhoeff)' },
  { id: 'in_pan', title: 'Indian PAN of persons' },
  { id: 'cn_resident_id', title: 'Chinese resident identity numbers (mod 11)' },
] as const satisfies readonly Category[]

/** Includes every number of an identity document, tax or social insurance. */
export const nationalId = 'national_id'

const general: ReadonlySet<string> = new Set(['email', 'phone', 'credit_card', 'iban', 'ip_address'])

/** The categories for a list of names. An empty list means all. */
export function expandPii(names: readonly string[]): Set<string> {
  const all = piiCategories.map(({ id }) => id as string)
  if (names.length === 0) return new Set(all)
  return new Set(
    names.flatMap((name) => (name === nationalId ? all.filter((id) => !general.has(id)) : [name])),
  )
}
