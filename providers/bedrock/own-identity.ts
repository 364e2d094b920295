/**
 * Hosts for calls signed with the process's own AWS identity: the services of Bedrock, in a region or behind a VPC
 * endpoint, and S3 in a region, for files. Other hosts below the vendor's domains belong to its customers.
 * Reference: https://docs.aws.amazon.com/general/latest/gr/bedrock.html
 */
import type { OwnIdentity } from '@gateway/contract'
import { usesOwnAwsIdentity } from '@gateway/provider-kit'

export const ownIdentity: OwnIdentity = {
  isLent: usesOwnAwsIdentity,
  hosts:
    /^(?:[a-z0-9-]+\.){0,2}bedrock(?:-[a-z]+)*\.[a-z]{2,10}(?:-[a-z]{2,20}){1,4}-\d{1,2}\.(?:vpce\.)?(?:amazonaws\.com|amazonaws\.com\.cn|amazonaws\.eu|api\.aws)$/,
  fileHosts:
    /^s3\.[a-z]{2,10}(?:-[a-z]{2,20}){1,4}-\d{1,2}\.(?:vpce\.)?(?:amazonaws\.com|amazonaws\.com\.cn|amazonaws\.eu|api\.aws)$/,
}
