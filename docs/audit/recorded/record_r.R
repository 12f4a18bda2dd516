# What R packages say of inputs.json: Rscript record_r.R writes r.json beside it.
suppressMessages({
  library(jsonlite); library(mclust); library(fpc); library(cluster); library(clue)
  library(e1071); library(mclustcomp); library(genieclust)
})
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
inputs <- fromJSON(file.path(here, "inputs.json"))
X <- as.matrix(iris[, 1:4]); dimnames(X) <- NULL
species <- inputs$iris$species + 1L
labels <- inputs$iris$labels + 1L
memberships <- inputs$iris$memberships
D <- dist(X)

said <- function(expression) tryCatch({
  value <- suppressWarnings(as.numeric(expression))[1]
  if (is.finite(value)) value else as.character(value)
}, error = function(problem) paste("error:", conditionMessage(problem)))

clue_of <- function(x, y) list(
  'cl_agreement(method = "Rand")' = said(cl_agreement(x, y, "Rand")),
  'cl_agreement(method = "cRand")' = said(cl_agreement(x, y, "cRand")),
  'cl_agreement(method = "NMI")' = said(cl_agreement(x, y, "NMI")),
  'cl_agreement(method = "KP")' = said(cl_agreement(x, y, "KP")),
  'cl_agreement(method = "diag")' = said(cl_agreement(x, y, "diag")),
  'cl_agreement(method = "FM")' = said(cl_agreement(x, y, "FM")),
  'cl_agreement(method = "Jaccard")' = said(cl_agreement(x, y, "Jaccard")),
  'cl_agreement(method = "purity")' = said(cl_agreement(x, y, "purity")),
  'cl_dissimilarity(method = "VI")' = said(cl_dissimilarity(x, y, "VI")),
  'cl_dissimilarity(method = "manhattan")' = said(cl_dissimilarity(x, y, "manhattan"))
)
two <- function(a, b) {
  x <- as.cl_hard_partition(a); y <- as.cl_hard_partition(b)
  comp <- tryCatch(suppressWarnings(mclustcomp(a, b)), error = function(problem) NULL)
  list(
    "R mclust" = list(adjustedRandIndex = said(adjustedRandIndex(a, b)),
                      "classError()$errorRate" = said(classError(b, a)$errorRate)),
    "R clue" = clue_of(x, y),
    "R mclustcomp" = if (is.null(comp)) list() else lapply(setNames(as.list(comp$scores), comp$types), said),
    "R genieclust" = list(
      adjusted_rand_score = said(adjusted_rand_score(a, b)), rand_score = said(rand_score(a, b)),
      fm_score = said(fm_score(a, b)), adjusted_fm_score = said(adjusted_fm_score(a, b)),
      mi_score = said(mi_score(a, b)), normalized_mi_score = said(normalized_mi_score(a, b)),
      adjusted_mi_score = said(adjusted_mi_score(a, b)), pair_sets_index = said(pair_sets_index(a, b)))
  )
}
stats <- cluster.stats(D, labels, species)
fpc_values <- list(
  "cluster.stats()$corrected.rand" = stats$corrected.rand, "cluster.stats()$vi" = stats$vi,
  "cluster.stats()$avg.silwidth" = stats$avg.silwidth, "cluster.stats()$ch" = stats$ch,
  "calinhara" = calinhara(X, labels), "cluster.stats()$dunn" = stats$dunn,
  "cluster.stats()$dunn2" = stats$dunn2, "cluster.stats()$within.cluster.ss" = stats$within.cluster.ss)
inner <- list(
  calinski_harabasz_index = said(calinski_harabasz_index(X, labels)),
  negated_davies_bouldin_index = said(negated_davies_bouldin_index(X, labels)),
  silhouette_index = said(silhouette_index(X, labels)), silhouette_w_index = said(silhouette_w_index(X, labels)),
  negated_ball_hall_index = said(negated_ball_hall_index(X, labels)),
  negated_wcss_index = said(negated_wcss_index(X, labels)),
  "generalised_dunn_index(1, 1)" = said(generalised_dunn_index(X, labels, 1L, 1L)))
soft <- cmeans(X, inputs$iris$centers, iter.max = 1000, m = 2, control = list(reltol = 1e-15))
fuzzy <- fclustIndex(soft, X, index = "all")
mixture <- Mclust(X, G = 3, modelNames = "VVV", verbose = FALSE)
lonely <- inputs$lonely
versions <- sapply(c("mclust", "fpc", "cluster", "clue", "e1071", "mclustcomp", "genieclust"),
                   function(p) as.character(packageVersion(p)))
names(versions) <- paste("R", names(versions))
hard <- two(species, labels)
hard$`R mclust`$mclustBIC <- mixture$bic
hard$`R mclust`$mclustICL <- mixture$icl
out <- list(
  versions = as.list(c(R = paste(R.version$major, R.version$minor, sep = "."), versions)),
  iris_column_sums = colSums(X),
  iris = c(hard, list("R fpc" = fpc_values, "R cluster" = list(
    "silhouette()" = mean(silhouette(labels, D)[, 3])))),
  iris_inner_genieclust = inner,
  iris_fuzzy = list(
    "R e1071" = list(
      'fclustIndex(index = "xie.beni")' = said(fuzzy["xb"]),
      'fclustIndex(index = "fukuyama.sugeno")' = said(fuzzy["fs"]),
      'fclustIndex(index = "partition.coefficient")' = said(fuzzy["pc"]),
      'fclustIndex(index = "partition.entropy")' = said(fuzzy["pe"]),
      'fclustIndex(index = "gath.geva")["fhv"]' = said(fuzzy["fhv"]),
      'fclustIndex(index = "gath.geva")["apd"]' = said(fuzzy["apd"])), withinerror = soft$withinerror,
    largest_difference_of_memberships = max(abs(soft$membership - memberships))),
  iris_hard_against_fuzzy = clue_of(as.cl_hard_partition(species), as.cl_partition(memberships)),
  iris_fuzzy_against_itself = clue_of(as.cl_partition(memberships), as.cl_partition(memberships)),
  mixture = list(bic = mixture$bic, icl = mixture$icl, loglik = mixture$loglik, df = mixture$df),
  pairs = lapply(inputs$pairs, function(pair) two(pair[1, ] + 1L, pair[2, ] + 1L)),
  lonely = list(
    "R cluster" = silhouette(lonely$labels + 1L, dist(lonely$X))[, 3],
    "R fpc" = cluster.stats(dist(lonely$X), lonely$labels + 1L)$avg.silwidth,
    "R genieclust" = silhouette_index(lonely$X, lonely$labels + 1L)),
  real_table = list("R genieclust" = list(
    mi_score = said(mi_score(inputs$`real table`)), rand_score = said(rand_score(inputs$`real table`)),
    mi_score_of_floor = said(mi_score(floor(inputs$`real table`))))),
  accuracies = list("R genieclust" = list(
    normalized_accuracy = said(normalized_accuracy(species, labels)),
    adjusted_asymmetric_accuracy = said(adjusted_asymmetric_accuracy(species, labels))))
)
write(toJSON(out, auto_unbox = TRUE, digits = NA, pretty = 1), file.path(here, "r.json"))
