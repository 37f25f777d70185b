/**
 * A client of Intaglio, the PDF generation service. Begin with {@link intaglio.client.Intaglio}.
 *
 * <p>Every failure of a call is an {@link intaglio.client.IntaglioException}, which is unchecked.
 * Arguments that can never be right, such as an address without a scheme, are an {@link
 * IllegalArgumentException}.
 */
package intaglio.client;
